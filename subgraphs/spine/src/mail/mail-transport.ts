import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@factory/runtime/telemetry/logger";
import nodemailer, { type SMTPPoolOptions } from "nodemailer";
import type { Mail } from "./mail.js";

/** Where mail goes: a server, or files that a developer reads. Absent settings refuse it. */
export type MailSettings =
  | {
      /** `smtp://` or `smtps://`, with user and password if the server wants them. */
      readonly smtpUrl: string;
      readonly from: string;
      /** PEM, beside the authorities that Node trusts. */
      readonly certificateAuthority?: string;
    }
  | { readonly outbox: string };

export interface MailTransport {
  /** The same id twice is the same message twice: whoever gets both can tell by its Message-ID. */
  deliver(mailId: string, mail: Mail): Promise<void>;
  close(): void;
}

/** Says why without the recipient and without what the server wrote, which may name him. */
class MailNotDeliveredError extends Error {
  override readonly name = "MailNotDeliveredError";
}

export function openMailTransport(settings: MailSettings | undefined, logger: Logger): MailTransport {
  if (settings === undefined) return refusing(logger);
  return "outbox" in settings ? filing(settings.outbox) : smtp(settings);
}

function refusing(logger: Logger): MailTransport {
  return {
    async deliver(mailId) {
      logger.error({ mailId }, "mail not sent: SMTP_URL is not set");
    },
    close() {},
  };
}

function smtp({ from, ...server }: Extract<MailSettings, { smtpUrl: string }>): MailTransport {
  const transport = nodemailer.createTransport(smtpOptions(server));
  return {
    async deliver(mailId, mail) {
      const composed = message(mailId, mail, from);
      try {
        await transport.sendMail(composed);
      } catch (error) {
        const { code, responseCode } = error as { code?: string; responseCode?: number };
        throw new MailNotDeliveredError(`The mail server did not take it: ${code ?? "no code"} ${responseCode ?? ""}`);
      }
    },
    close: () => transport.close(),
  };
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Nothing of the URL's query is read: it could turn the verification of certificates off. */
export function smtpOptions(server: {
  readonly smtpUrl: string;
  readonly certificateAuthority?: string;
}): SMTPPoolOptions & { pool: true } {
  const { protocol, hostname, port, username, password } = new URL(server.smtpUrl);
  const secure = protocol === "smtps:";
  const local = loopback.has(hostname);
  return {
    pool: true,
    maxConnections: 4,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // a relay on this machine hears nothing that the network does
    requireTLS: !secure && !local,
    ignoreTLS: !secure && local,
    tls: {
      minVersion: "TLSv1.2",
      rejectUnauthorized: true,
      ...(server.certificateAuthority === undefined ? {} : { ca: server.certificateAuthority }),
    },
    ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  };
}

const developmentSender = "Factory platform <no-reply@localhost>";

/** `<time>-<id>.eml`, readable by the owner alone: it holds links that open an account. */
function filing(folder: string): MailTransport {
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true });
  return {
    async deliver(mailId, mail) {
      const { message: bytes } = await composer.sendMail(message(mailId, mail, developmentSender));
      const file = join(folder, `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${mailId}.eml`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.part`, bytes as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    close() {},
  };
}

/** What would end an address, or begin another one. */
const addressForm = /^[^\s<>,;:"\\()[\]@\p{Cc}]+@[^\s<>,;:"\\()@\p{Cc}]+$/u;

function message(mailId: string, { to, subject, text, html }: Mail, from: string) {
  if (!addressForm.test(to)) throw new MailNotDeliveredError("The recipient's address is malformed.");
  return {
    from,
    // as an object it is one address, whatever it holds
    to: { name: "", address: to },
    subject,
    text,
    html,
    messageId: `<${mailId}@${senderDomain(from)}>`,
    // RFC 3834: no automatic answer, please
    headers: { "auto-submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const senderDomain = (from: string) => /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? "localhost";
