/** Text that is HTML already. `html` escapes every value that is not. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

export type Content = Html | string | readonly Content[] | undefined;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Attribute values stand in double quotes; nothing is ever put into a script, a style or an address. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.reduce((text, part, index) => text + shown(values[index - 1]) + part));
}

function shown(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.text;
  return typeof content === "string" ? escapeHtml(content) : content.map(shown).join("");
}
