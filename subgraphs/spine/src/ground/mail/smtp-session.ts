import { needsSmtpUtf8 } from "@factory/runtime/internet-names/mail-address";
import type { ErrorCode } from "@factory/schema/error-codes";
import SMTPConnection, { type SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";

/** A session's options, with the login if the server needs one. */
export interface SmtpOptions extends SMTPConnectionOptions {
  readonly login?: { readonly user: string; readonly pass: string };
}

interface OutgoingMessage {
  readonly envelope: { readonly from: string | false; readonly to: readonly string[] };
  readonly message: Buffer;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

/** The code for a server without SMTPUTF8 (RFC 6531), which an address outside ASCII needs. */
export const noSmtpUtf8 = "MAIL_ADDRESS_UNSUPPORTED" satisfies ErrorCode;

/** The session step that failed, with nodemailer's code and the server's reply where there is one. */
export class SmtpSessionError extends Error {
  override readonly name = "SmtpSessionError";

  constructor(
    readonly step: "connect" | "login" | "send",
    readonly code: string | undefined,
    readonly responseCode: number | undefined,
  ) {
    super(`the mail server failed at the step ${step}`);
  }
}

/**
 * Sends one message in its own session, which a mail server that never answers or answers byte by byte cannot hold for
 * longer than the signal allows. Throws SmtpSessionError.
 */
export async function sendBySmtp(
  { login, ...options }: SmtpOptions,
  { envelope, message, signal }: OutgoingMessage,
): Promise<void> {
  const connection = new SMTPConnection(options);
  const step = stepsOf(connection, signal);
  try {
    await step("connect", (callback) => connection.connect(callback));
    if (login) await step("login", (callback) => connection.login({ credentials: login }, callback));
    const addresses = [envelope.from || "", ...envelope.to];
    if (addresses.some(needsSmtpUtf8) && !offersSmtpUtf8(connection))
      throw new SmtpSessionError("send", noSmtpUtf8, undefined);
    await step("send", (callback) => connection.send({ ...envelope, to: [...envelope.to] }, message, callback));
    connection.quit();
  } finally {
    connection.close();
  }
}

/** Whether the server has named the extension in its answer to EHLO. The type declarations lack the list. */
const offersSmtpUtf8 = (connection: SMTPConnection): boolean =>
  (connection as unknown as { _supportedExtensions: string[] })._supportedExtensions.includes("SMTPUTF8");

/** Runs a step until its callback, the connection's first error or end, or the signal. */
function stepsOf(connection: SMTPConnection, signal: AbortSignal) {
  return (name: SmtpSessionError["step"], run: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (error?: Error | null) => {
        signal.removeEventListener("abort", abort);
        if (!error) return resolve();
        const { code, responseCode } = error as { code?: string; responseCode?: number };
        return reject(new SmtpSessionError(name, code, responseCode));
      };
      const abort = () => {
        settle(Object.assign(new Error("the session took too long"), { code: "ETIMEDOUT" }));
        connection.close();
      };
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      connection.removeAllListeners("error");
      connection.removeAllListeners("end");
      connection.on("error", settle);
      connection.once("end", () => settle(new Error("the connection has ended")));
      run(settle);
    });
}
