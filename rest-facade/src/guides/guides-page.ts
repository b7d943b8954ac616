import { Html, html } from "@factory/runtime/html/html";
import { inlineCode } from "../event-documents/inline-code.js";
import { style } from "../event-documents/page-style.js";

/** A guide for one group of readers, in Markdown. It begins with its title and a paragraph about its readers. */
export interface Guide {
  /** Its address's last segment. */
  readonly name: string;
  readonly text: string;
}

/** The page that lists the guides with their titles and readers. */
export const guidesPage = (guides: readonly Guide[]): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Guides</title>
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Documents">
<ul><li><a href="/docs">REST API</a></li><li><a href="/docs/events">Events and commands</a></li></ul>
</nav>
<main id="content">
<h1>Guides</h1>
<p class="lead">Each guide is for one kind of reader. Its examples continue in the terminal of the README.</p>
${guides.map(entry)}
</main>
</body>
</html>
`.text;

function entry({ name, text }: Guide): Html {
  const [title = "", introduction = ""] = text.split("\n\n");
  return html`<article><h3><a href="/docs/guides/${name}">${title.replace(/^# /, "")}</a></h3>
<p>${inlineCode(withoutLinks(introduction))}</p></article>
`;
}

/** Keeps a link's words without its address, which leads into the repository. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
