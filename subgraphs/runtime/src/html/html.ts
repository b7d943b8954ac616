/** Text that is HTML already. `html` escapes every value that is not. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** A value in a template: text is escaped, `Html` is not, undefined is left out. */
type Content = Html | string | readonly Content[] | undefined;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** The text with `& < > " '` as entities. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * A template tag for HTML that escapes every value. Attribute values must stand in double quotes. Values are not safe
 * inside scripts, styles or addresses.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

function render(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.text;
  return typeof content === "string" ? escapeHtml(content) : content.map(render).join("");
}
