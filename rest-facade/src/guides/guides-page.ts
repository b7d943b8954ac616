import { type Html, html } from "@factory/runtime/html/html";
import { inlineCode } from "../event-documents/inline-code.js";
import { textPage } from "../event-documents/page-style.js";
import { guideHtml } from "./guide-html.js";

/** A guide for one group of readers, in Markdown. It begins with its title and a paragraph about its readers. */
export interface Guide {
  /** Its address's last segment. */
  readonly name: string;
  readonly text: string;
}

/** The page that lists the guides with their titles and readers. */
export const guidesPage = (guides: readonly Guide[], bar: Html): string =>
  textPage({
    ...{ title: "Guides", bar },
    navigation: html`<nav aria-label="Guides"><ul>${guides.map(link)}</ul></nav>`,
    content: html`<h1>Guides</h1>
<p class="lead">Each guide is for one kind of reader. Its examples continue in the terminal of the README.</p>
${guides.map(entry)}`,
  });

/** One guide as a page. */
export function guidePage(guides: readonly Guide[], guide: Guide, bar: Html): string {
  const names = new Set(guides.map(({ name }) => name));
  const addressOf = (name: string) => (names.has(name) ? `/docs/guides/${name}` : undefined);
  const { title, content, sections } = guideHtml(guide.text, addressOf);
  const navigation = html`<nav aria-label="Sections"><ul>${sections.map(
    (section) => html`<li><a href="#${section.id}">${section.title}</a></li>`,
  )}</ul></nav>`;
  return textPage({ title, bar, navigation, content: html`<div class="guide">${content}</div>` });
}

const link = ({ name, text }: Guide): Html => html`<li><a href="/docs/guides/${name}">${titleOf(text)}</a></li>`;

const titleOf = (text: string): string => (text.split("\n", 1)[0] ?? "").replace(/^# /, "");

function entry({ name, text }: Guide): Html {
  const [, introduction = ""] = text.split("\n\n");
  return html`<article><h2><a href="/docs/guides/${name}">${titleOf(text)}</a></h2>
<p>${inlineCode(withoutLinks(introduction))}</p></article>
`;
}

/** Keeps a link's words without its address, which leads into the repository. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
