import { type ValueOf, vocabulary } from "./vocabulary.js";

export const runStatuses = vocabulary("RunStatus", "The states of an integration run.", {
  Queued: "The run waits for its first attempt.",
  Running: "An attempt is being made.",
  RetryScheduled: "An attempt has failed, and the next one is scheduled.",
  Completed: "The work is done.",
  Failed: "All attempts have failed, or no repetition can help.",
  TimedOut: "The time of the run has ended.",
  Cancelled: "A caller has cancelled the run.",
});
export type RunStatus = ValueOf<typeof runStatuses>;

export const runOperations = vocabulary("RunOperation", "The kinds of work of an integration run.", {
  VerifyConnection: "Probes a connection.",
  CheckHealth: "Checks the health of a connection.",
  RefreshToken: "Renews the access token of a connection.",
  VerifyCredential: "Verifies the new version of a credential.",
  RetireCredentialVersion: "Retires the former version of a credential.",
  SendEmail: "Sends a mail.",
  SendSms: "Sends a text message.",
  ChargePayment: "Makes a payment.",
  RefundPayment: "Makes a refund.",
  CreateCheckoutSession: "Creates a page for a payment.",
  SyncContact: "Writes a contact.",
  OpenTicket: "Opens a ticket.",
  CompleteModel: "Asks a language model for an answer.",
  EmbedModel: "Asks a language model for embeddings.",
  StreamModel: "Asks a language model for an answer in parts.",
  ListTools: "Reads the tools of a server.",
  InvokeTool: "Invokes a tool.",
  ProcessDelivery: "Handles a vendor's delivery.",
  ReplayDeliveries: "Sends the webhooks of a subscription again.",
});
export type RunOperation = ValueOf<typeof runOperations>;

export const toolStates = vocabulary("ToolState", "Whether a tool may be invoked, and the first reason against it.", {
  Allowed: "The tool may be invoked.",
  Changed: "Its server has changed the definition. acceptToolDefinition accepts the new one.",
  NotAllowed: "The setting allowedTools of the connection does not name it.",
  Removed: "The newest list of its server does not have it.",
});
export type ToolState = ValueOf<typeof toolStates>;
