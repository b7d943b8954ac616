import { type ValueOf, vocabulary } from "./vocabulary.js";

export const providerStatuses = vocabulary("ProviderStatus", "The states of a provider.", {
  Registered: "Connections can be made and used.",
  Deprecated: "Connections can still be used, and no new ones can be made.",
  Disabled: "Nothing of the provider can be used until it is enabled.",
  Retired: "Nothing of the provider can ever be used again.",
});
export type ProviderStatus = ValueOf<typeof providerStatuses>;

export const providerCategories = vocabulary("ProviderCategory", "The kinds of vendors.", {
  SourceControl: "Source code, for example GitHub.",
  Cloud: "Computing and hosting.",
  Communication: "Mail, text messages and chat.",
  Payment: "Payments.",
  CustomerRelationship: "Customers and contacts.",
  Support: "Tickets and support.",
  Model: "Language models.",
  Tool: "Servers of tools (MCP).",
  Commerce: "Shops and orders.",
  Identity: "Users and sign-in.",
  Storage: "Files and objects.",
  Analytics: "Metrics and statistics.",
  Other: "Another kind.",
});
export type ProviderCategory = ValueOf<typeof providerCategories>;

export const apiKeyPlaces = vocabulary("ApiKeyPlace", "The places of an API key in a request.", {
  header: "A header.",
  query: "A parameter of the query.",
});
export type ApiKeyPlace = ValueOf<typeof apiKeyPlaces>;

export const probeMethods = vocabulary("CallMethod", "The HTTP methods of a probe, or of a vendor's test of a URL.", {
  GET: "GET.",
  HEAD: "HEAD, whose answer has no body.",
  POST: "POST.",
});
export type CallMethod = ValueOf<typeof probeMethods>;

export const clientAuthentications = vocabulary(
  "ClientAuthentication",
  "The ways in which an OAuth 2 client authenticates at the token endpoint.",
  {
    client_secret_basic: "The secret stands in the header Authorization.",
    client_secret_post: "The secret stands in the body.",
    private_key_jwt: "A JWT that a private key has signed (RFC 7523).",
    none: "The client is public.",
  },
);
export type ClientAuthentication = ValueOf<typeof clientAuthentications>;

export const mailSecurities = vocabulary("MailSecurity", "The protections of a connection to a mail server.", {
  tls: "TLS from the beginning.",
  starttls: "TLS after the command STARTTLS, without which nothing is sent.",
  none: "No encryption. It is refused in production.",
});
export type MailSecurity = ValueOf<typeof mailSecurities>;

export const reportedOutcomes = vocabulary("ReportedOutcome", "The outcomes of commands that a vendor reports.", {
  EmailDelivered: "The mail server of the recipient has accepted the mail.",
  EmailBounced: "The mail could not be delivered.",
  SmsDelivered: "The text message has arrived.",
  SmsFailed: "The text message could not be delivered.",
  PaymentCharged: "The payment has been made.",
  PaymentFailed: "The payment was refused.",
  PaymentRefunded: "The refund has been made.",
  RefundFailed: "The refund was refused.",
});
export type ReportedOutcome = ValueOf<typeof reportedOutcomes>;
