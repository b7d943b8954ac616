/** Unneeded: when the mail was to be sent, its composer had nothing to send any more. */
export type MailState = "Waiting" | "Sent" | "Unneeded" | "Failed";

/** SQL condition: the mail is in the state that only its job can end. */
export const waitingCondition = "status = 'Waiting'";
