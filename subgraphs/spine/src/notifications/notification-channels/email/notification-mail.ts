import { type Html, html } from "@factory/runtime/html/html";
import { type Mail, oneLine } from "../../../ground/mail/mail.js";
import type { ComposedMessage } from "../../notification-templates/compose-message.js";
import { localeChain } from "../../notification-templates/locale-chain.js";
import { beginning, plainText } from "../../notification-templates/plain-text.js";

/** The lines at the end of a mail: its sender, and the way to the page on which its recipient unsubscribes. */
interface Footer {
  readonly sender: string;
  readonly why: string;
  readonly label: string;
}

const english = { sender: "Sent by", why: "You can end mails of this kind at any time.", label: "Unsubscribe" };

const footers: Readonly<Record<string, Footer>> = {
  en: english,
  de: { sender: "Gesendet von", why: "Sie können Mails dieser Art jederzeit beenden.", label: "Abmelden" },
  fr: {
    sender: "Envoyé par",
    why: "Vous pouvez arrêter ce type de messages à tout moment.",
    label: "Se désabonner",
  },
};

interface MailParts {
  readonly to: string;
  readonly message: ComposedMessage;
  /** The page on which the recipient unsubscribes. Absent where the category cannot be switched off. */
  readonly unsubscribeUrl: string | undefined;
  /** The tenant. Absent for mails through a tenant's connection, which have its own address. */
  readonly senderName?: string | undefined;
}

/** A notification's mail. Its text and its HTML have the same content, and every value in the HTML is escaped. */
export function notificationMail({ to, message, unsubscribeUrl, senderName }: MailParts): Mail {
  const { locale, title, paragraphs, link } = message;
  const footer = footerIn(locale);
  const sender = senderName === undefined ? undefined : plainText(senderName).trim();
  const footerLines = [
    ...(sender === undefined ? [] : [`${footer.sender} ${sender}`]),
    ...(unsubscribeUrl === undefined ? [] : [footer.why, `${footer.label}: ${unsubscribeUrl}`]),
  ];
  const texts = [
    ...paragraphs,
    ...(link ? [`${link.label}:\n${link.url}`] : []),
    ...(footerLines.length > 0 ? [["-- ", ...footerLines].join("\n")] : []),
  ];
  const document = html`<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
${paragraphs.map((paragraph) => html`<p dir="auto">${withBreaks(paragraph)}</p>\n`)}${
  link && html`<p><a href="${link.url}">${link.label}</a></p>\n`
}${sender === undefined ? undefined : html`<p><small>${footer.sender} ${sender}</small></p>\n`}${
  unsubscribeUrl === undefined
    ? undefined
    : html`<p><small>${footer.why} <a href="${unsubscribeUrl}">${footer.label}</a></small></p>\n`
}</body>
</html>
`;
  return {
    ...{ to, subject: subjectOf(message), text: `${texts.join("\n\n")}\n`, html: document.text },
    ...(unsubscribeUrl === undefined ? {} : { listUnsubscribe: `<${unsubscribeUrl}>` }),
    ...(sender === undefined ? {} : { senderName: beginning(sender, maxSenderName) }),
  };
}

const maxSubject = 78;
const maxSenderName = 70;

/** A mail without a title has its text's beginning as the subject. */
function subjectOf({ title, paragraphs }: ComposedMessage): string {
  const [subject = "Notification"] = [title, ...paragraphs].map(oneLine).filter((line) => line !== "");
  return title === "" ? beginning(subject, maxSubject) : subject;
}

function footerIn(locale: string): Footer {
  const footerLocale = localeChain(locale).find((candidate) => Object.hasOwn(footers, candidate));
  return footers[footerLocale ?? "en"] ?? english;
}

const withBreaks = (paragraph: string): Html[] =>
  paragraph.split("\n").map((line, at) => (at === 0 ? html`${line}` : html`<br>\n${line}`));
