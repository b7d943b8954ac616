/** Unneeded: when its turn came there was nothing to say any more. */
export type MailState = "Waiting" | "Sent" | "Unneeded" | "Failed";

/** SQL: the state that only a job ends. */
export const mailWaits = "status = 'Waiting'";
