import type { Socket } from "node:net";
import { needsSmtpUtf8 } from "@factory/runtime/internet-names/mail-address";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { MailServer } from "../../../providers/provider-drivers/command-template.js";

/** A mail to be sent. Each address is one address without a name. */
export interface VendorMail {
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  /** The value for List-Unsubscribe, whose address unsubscribes by one POST (RFC 8058). */
  readonly listUnsubscribe?: string | undefined;
}

interface MailLogin {
  readonly user: string;
  readonly password: string;
}

/** The step in a session that failed, with the server's reply where there is one. */
export class MailStepFailed extends Error {
  override readonly name = "MailStepFailed";

  constructor(
    readonly step: "connect" | "login" | "send",
    readonly replyCode: number | undefined,
  ) {
    super(`the mail server failed at the step ${step}`);
  }
}

/** The server does not offer SMTPUTF8 (RFC 6531), which an address in the mail needs. Nothing was sent. */
export class SmtpUtf8Missing extends Error {
  override readonly name = "SmtpUtf8Missing";
}

export interface SessionOptions {
  readonly server: MailServer;
  readonly socket: Socket;
  readonly login: MailLogin | undefined;
  /** PEM; trusted instead of the authorities that Node trusts. */
  readonly authorities: string | undefined;
  readonly signal: AbortSignal;
  /** How long the server may be silent; 20 s if absent. */
  readonly silenceMs?: number;
}

const defaultSilenceMs = 20_000;

/** Sends one mail over a connected socket, and closes it. Resolves with the number of recipients that were refused. */
export async function sendMail(mail: VendorMail, options: SessionOptions): Promise<number> {
  const message = await composed(mail);
  const { from, to, cc, bcc } = mail;
  return inSession(domainOf(from), options, async (connection) => {
    const envelope = { from, to: [...to, ...cc, ...bcc] };
    if ([from, ...envelope.to].some(needsSmtpUtf8) && !offersSmtpUtf8(connection)) throw new SmtpUtf8Missing();
    let refusedCount = 0;
    await step("send", connection, (finish) =>
      connection.send(envelope, message, (error, info) => {
        refusedCount = info?.rejected?.length ?? 0;
        finish(error);
      }),
    );
    return refusedCount;
  });
}

/** Whether the server has named the extension in its answer to EHLO. The type declarations lack the list. */
const offersSmtpUtf8 = (connection: SMTPConnection): boolean =>
  (connection as unknown as { _supportedExtensions: string[] })._supportedExtensions.includes("SMTPUTF8");

/** Connects, logs in and leaves, as a client at the address's domain. */
export const checkLogin = (from: string, options: SessionOptions): Promise<void> =>
  inSession(domainOf(from), options, async () => undefined);

/** An address's domain. An invalid domain could add commands to the session. */
function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return /^[A-Za-z0-9.-]{1,253}$/.test(domain) ? domain : "localhost";
}

/** Opens a session over a connected socket, with the login if there is one, and closes it after the work. */
async function inSession<T>(
  name: string,
  { server, socket, login, authorities, signal, silenceMs = defaultSilenceMs }: SessionOptions,
  work: (connection: SMTPConnection) => Promise<T>,
): Promise<T> {
  const connection = new SMTPConnection({
    connection: socket,
    host: server.host,
    port: server.port,
    // the mail server does not learn this machine's name
    name,
    secure: server.security === "tls",
    requireTLS: server.security === "starttls",
    ignoreTLS: server.security === "none",
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(authorities === undefined ? {} : { ca: authorities }) },
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
  });
  const abort = () => connection.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await step("connect", connection, (finish) => connection.connect(finish));
    if (login) {
      const credentials = { user: login.user, pass: login.password };
      await step("login", connection, (finish) => connection.login({ credentials }, finish));
    }
    const result = await work(connection);
    connection.quit();
    return result;
  } finally {
    signal.removeEventListener("abort", abort);
    connection.close();
    socket.destroy();
  }
}

/** Runs a step until its callback, the connection's first error, or its end. */
function step(
  name: MailStepFailed["step"],
  connection: SMTPConnection,
  run: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) => {
      if (error) reject(new MailStepFailed(name, replyCodeOf(error)));
      else resolve();
    };
    connection.removeAllListeners("error");
    connection.removeAllListeners("end");
    connection.on("error", settle);
    connection.once("end", () => settle(new Error("the connection has ended")));
    run(settle);
  });
}

const replyCodeOf = (error: Error): number | undefined => (error as { responseCode?: number }).responseCode;

function composed(mail: VendorMail): Promise<Buffer> {
  const { messageId, from, to, cc, bcc, subject, text, html, listUnsubscribe } = mail;
  // an object is always one address; a text could contain several
  const address = (addressText: string) => ({ name: "", address: addressText });
  const composer = new MailComposer({
    from: address(from),
    to: to.map(address),
    cc: cc.map(address),
    bcc: bcc.map(address),
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    ...(listUnsubscribe === undefined ? {} : { headers: unsubscribeHeaders(listUnsubscribe) }),
    messageId,
    newline: "win",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return new Promise((resolve, reject) => {
    composer.compile().build((error, bytes) => (error ? reject(error) : resolve(bytes as Buffer)));
  });
}

const unsubscribeHeaders = (listUnsubscribe: string) => ({
  "list-unsubscribe": listUnsubscribe,
  "list-unsubscribe-post": "List-Unsubscribe=One-Click",
});
