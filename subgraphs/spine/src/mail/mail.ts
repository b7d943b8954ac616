/** One message to one person. Both parts say the same. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What a message says, before it is text and HTML. */
export interface MailContent {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
}

export function mailOf({ to, subject, paragraphs, link }: MailContent): Mail {
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : [])].join("\n\n");
  const body = [
    ...paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`),
    ...(link ? [`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`] : []),
  ].join("\n");
  const html = `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>\n<body>\n${body}\n</body>\n</html>\n`;
  return { to, subject: oneLine(subject), text: `${text}\n`, html };
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");

/** A header ends where its line does. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
