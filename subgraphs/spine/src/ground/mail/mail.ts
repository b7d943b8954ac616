import { html } from "@factory/runtime/html/html";

/** A mail to one recipient. The text and the HTML have the same content. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The List-Unsubscribe value: an address that unsubscribes by one POST (RFC 8058), in angle brackets. */
  readonly listUnsubscribe?: string;
  /** The name (one line) of the tenant that the mail is from. Absent where it is from the platform. */
  readonly senderName?: string;
}

/** A mail's content, from which text and HTML are made. */
interface MailContent {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
}

/** Renders the content as text and as HTML. */
export function renderMail({ to, subject, paragraphs, link }: MailContent): Mail {
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : [])].join("\n\n");
  const document = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${link && html`<p><a href="${link.url}">${link.label}</a></p>\n`}</body>
</html>
`;
  return { to, subject: oneLine(subject), text: `${text}\n`, html: document.text };
}

/** The text as one line. A line break would end the header. */
export const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
