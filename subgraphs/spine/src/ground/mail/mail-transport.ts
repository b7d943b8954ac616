import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asciiUrl } from "@factory/runtime/internet-names/ascii-url";
import { asciiHost } from "@factory/runtime/internet-names/host-name";
import type { Logger } from "@factory/runtime/telemetry/logger";
import nodemailer from "nodemailer";
import { type Mail, oneLine } from "./mail.js";
import { noSmtpUtf8, type SmtpOptions, type SmtpSessionError, sendBySmtp } from "./smtp-session.js";

/**
 * The destination for mail: an SMTP server, or a folder with files for development. Without settings mail is not sent.
 */
export type MailSettings =
  | {
      /** `smtp://` or `smtps://`, with user and password if the server needs them. */
      readonly smtpUrl: string;
      readonly from: string;
      /** PEM; trusted in addition to the authorities that Node trusts. */
      readonly certificateAuthority?: string;
      /** The longest time that a server may take for one mail, however many small steps it makes; 60 s if absent. */
      readonly sessionMs?: number;
    }
  | { readonly outbox: string };

export interface MailTransport {
  /**
   * Sends the mail. A mail that is sent twice has the same Message-ID both times. Throws MailNotDeliveredError when the
   * server did not accept it, or did not answer before the signal.
   */
  deliver(mailId: string, mail: Mail, signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** The code in `MailNotDeliveredError`, which identifies its message after it was stored. */
export const mailNotDelivered = "MAIL_NOT_DELIVERED";

/** The message names neither the recipient nor the server's reply, which may contain the recipient. */
export class MailNotDeliveredError extends Error {
  override readonly name = "MailNotDeliveredError";
  readonly code = mailNotDelivered;

  constructor(
    message: string,
    /** Whether another attempt would be refused again (RFC 5321, section 4.2.1). */
    readonly isPermanent: boolean,
    /** Whether the server failed before it got the mail, so that it would take no other one either. */
    readonly isUnreachable = false,
  ) {
    super(message);
  }
}

/** The transport for the settings. Without settings it logs an error for every mail and sends nothing. */
export function openMailTransport(settings: MailSettings | undefined, logger: Logger): MailTransport {
  if (settings === undefined) return disabledTransport(logger);
  return "outbox" in settings ? fileTransport(settings.outbox) : smtpTransport(settings);
}

function disabledTransport(logger: Logger): MailTransport {
  return {
    async deliver(mailId) {
      logger.error({ mailId }, "mail not sent: SMTP_URL is not set");
    },
    close() {},
  };
}

type SmtpSettings = Extract<MailSettings, { smtpUrl: string }>;

function smtpTransport(settings: SmtpSettings): MailTransport {
  const { from } = settings;
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const options = smtpOptions(settings);
  const closing = new AbortController();
  return {
    async deliver(mailId, mail, signal) {
      const { message: bytes, envelope } = await composer.sendMail(message(mailId, mail, from));
      const { sessionMs = 60_000 } = settings;
      const limits = [AbortSignal.timeout(sessionMs), closing.signal, ...(signal ? [signal] : [])];
      try {
        await sendBySmtp(options, { envelope, message: bytes as Buffer, signal: AbortSignal.any(limits) });
      } catch (error) {
        const { step, code, responseCode } = error as SmtpSessionError;
        if (code === noSmtpUtf8) throw new MailNotDeliveredError(noSmtpUtf8, true);
        throw new MailNotDeliveredError(
          `The mail server did not accept the mail: ${code ?? "no code"} ${responseCode ?? ""}`.trim(),
          // a refused login is a settings fault, not a mail fault
          step === "send" && responseCode !== undefined && responseCode >= 500,
          step !== "send",
        );
      }
    },
    close: () => closing.abort(),
  };
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The URL's query is ignored, because it could disable certificate verification. */
export function smtpOptions(server: { readonly smtpUrl: string; readonly certificateAuthority?: string }): SmtpOptions {
  const { protocol, hostname, port, username, password } = new URL(asciiUrl(server.smtpUrl) ?? server.smtpUrl);
  const secure = protocol === "smtps:";
  const local = loopback.has(hostname);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // mail to a relay on this machine does not pass the network, so it needs no TLS
    requireTLS: !secure && !local,
    ignoreTLS: !secure && local,
    tls: {
      minVersion: "TLSv1.2",
      rejectUnauthorized: true,
      ...(server.certificateAuthority === undefined ? {} : { ca: server.certificateAuthority }),
    },
    ...(username === "" ? {} : { login: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  };
}

const developmentSender = "Factory platform <no-reply@localhost>";

/** Writes `<time>-<id>.eml`, readable only by the owner, because the mail contains links that create an account. */
function fileTransport(folder: string): MailTransport {
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

/** Excludes characters that would end an address or begin another one. */
const addressForm = /^[^\s<>,;:"\\()[\]@\p{Cc}]+@[^\s<>,;:"\\()@\p{Cc}]+$/u;

function message(mailId: string, { to, subject, text, html, listUnsubscribe, senderName }: Mail, from: string) {
  if (!addressForm.test(to)) throw new MailNotDeliveredError("The recipient's address is malformed.", true);
  return {
    from: senderName === undefined ? from : senderFor(senderName, from),
    // an object is always one address; a string could contain several
    to: { name: "", address: to },
    subject,
    text,
    html,
    messageId: `<${mailId}@${senderDomain(from)}>`,
    headers: {
      // RFC 3834: asks for no automatic reply
      "auto-submitted": "auto-generated",
      ...(listUnsubscribe === undefined
        ? {}
        : { "list-unsubscribe": listUnsubscribe, "list-unsubscribe-post": "List-Unsubscribe=One-Click" }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The platform's address, with a tenant's name before its own. An object is always one address. */
function senderFor(senderName: string, from: string): { name: string; address: string } {
  const [, ownName = "", address = from] = /^\s*"?([^"<]*?)"?\s*<([^<>]+)>\s*$/.exec(from) ?? [];
  const name = oneLine(senderName);
  return { name: ownName === "" ? name : `${name} via ${ownName}`, address };
}

const senderDomain = (from: string) => asciiHost(/@([^\s<>@]+)>?$/.exec(from)?.[1] ?? "") ?? "localhost";
