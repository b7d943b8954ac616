import { type Html, html } from "@factory/runtime/html/html";
import { type Mail, oneLine } from "../../mail/mail.js";
import type { ComposedMessage } from "../../notification-templates/compose-message.js";
import { localeChain } from "../../notification-templates/locale-chain.js";
import { beginning } from "../../notification-templates/plain-text.js";

/** The line of a mail that leads to the page on which its recipient unsubscribes. */
const footers: Readonly<Record<string, { readonly why: string; readonly label: string }>> = {
  en: { why: "You can end mails of this kind at any time.", label: "Unsubscribe" },
  de: { why: "Sie können Mails dieser Art jederzeit beenden.", label: "Abmelden" },
  fr: { why: "Vous pouvez arrêter ce type de messages à tout moment.", label: "Se désabonner" },
};

interface MailParts {
  readonly to: string;
  readonly message: ComposedMessage;
  /** The page on which the recipient unsubscribes. Absent where the category cannot be switched off. */
  readonly unsubscribeUrl: string | undefined;
}

/** The mail of a notification. Its text and its HTML have the same content, and every value of the HTML is escaped. */
export function notificationMail({ to, message, unsubscribeUrl }: MailParts): Mail {
  const { locale, title, paragraphs, link } = message;
  const footer = unsubscribeUrl === undefined ? undefined : { ...footerIn(locale), url: unsubscribeUrl };
  const texts = [
    ...paragraphs,
    ...(link ? [`${link.label}:\n${link.url}`] : []),
    ...(footer ? [`-- \n${footer.why}\n${footer.label}: ${footer.url}`] : []),
  ];
  const document = html`<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
${paragraphs.map((paragraph) => html`<p dir="auto">${withBreaks(paragraph)}</p>\n`)}${
  link && html`<p><a href="${link.url}">${link.label}</a></p>\n`
}${footer && html`<p><small>${footer.why} <a href="${footer.url}">${footer.label}</a></small></p>\n`}</body>
</html>
`;
  return {
    ...{ to, subject: subjectOf(message), text: `${texts.join("\n\n")}\n`, html: document.text },
    ...(unsubscribeUrl === undefined ? {} : { listUnsubscribe: `<${unsubscribeUrl}>` }),
  };
}

const maxSubject = 78;

/** A mail without a title has the beginning of its text as the subject. */
function subjectOf({ title, paragraphs }: ComposedMessage): string {
  const [subject = "Notification"] = [title, ...paragraphs].map(oneLine).filter((line) => line !== "");
  return title === "" ? beginning(subject, maxSubject) : subject;
}

function footerIn(locale: string): { readonly why: string; readonly label: string } {
  const found = localeChain(locale, "en").find((one) => Object.hasOwn(footers, one)) ?? "en";
  return footers[found] ?? { why: "", label: "Unsubscribe" };
}

const withBreaks = (paragraph: string): Html[] =>
  paragraph.split("\n").map((line, at) => (at === 0 ? html`${line}` : html`<br>\n${line}`));
