import { type Html, html } from "@factory/runtime/html/html";

/** The text with what stands between backticks as code. */
export const inlineCode = (text = ""): Html[] =>
  text.split("`").map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
