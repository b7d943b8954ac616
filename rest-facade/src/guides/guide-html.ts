import { Html, html } from "@factory/runtime/html/html";
import { Marked, type Tokens } from "marked";

/** A guide's Markdown as HTML, with its second-level headings. */
export interface GuideHtml {
  readonly title: string;
  readonly content: Html;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

/** The guide to which a link into the repository leads, with the anchor. */
const guideFile = /(?:^|\/)(?:(catalog|integration|spine)\/GUIDE|(OPERATING))\.md(#[\w-]+)?$/;

/** Renders a guide. A link that leads elsewhere in the repository keeps its words only; tags in the text are text. */
export function guideHtml(text: string, addressOf: (name: string) => string | undefined): GuideHtml {
  const sections: GuideHtml["sections"][number][] = [];
  let title = "";
  let section = "";
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: words }: Tokens.Heading) {
        const plain = words.replaceAll("`", "");
        const id = anchorOf(plain);
        if (depth === 1) title = plain;
        section = plain;
        if (depth === 2) sections.push({ id, title: plain });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens);
        const target = linkTarget(href, addressOf);
        return target === undefined ? words : html`<a href="${target}">${new Html(words)}</a>`.text;
      },
      code({ text: lines }: Tokens.Code) {
        return html`<pre tabindex="0"><code>${lines}</code></pre>\n`.text;
      },
      html: ({ text: tag }: Tokens.HTML | Tokens.Tag) => html`${tag}`.text,
      image: ({ text: words }: Tokens.Image) => html`${words}`.text,
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: "th" | "td") =>
          row.map(
            (cell) => `<${tag}${tag === "th" ? ' scope="col"' : ""}>${this.parser.parseInline(cell.tokens)}</${tag}>`,
          );
        const rows = token.rows.map((row) => `<tr>${cells(row, "td").join("")}</tr>\n`);
        const head = `<thead><tr>${cells(token.header, "th").join("")}</tr></thead>`;
        const label = html`Table ${String(++tables)}: ${section}`.text;
        return `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="plain">${head}<tbody>${rows.join("")}</tbody></table></div>\n`;
      },
    },
  });
  const content = new Html(marked.parse(text, { async: false }));
  return { title, content, sections };
}

/** The anchor of a heading, as in the repository: lower case, and hyphens in the place of spaces. */
const anchorOf = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

function linkTarget(href: string, addressOf: (name: string) => string | undefined): string | undefined {
  if (href.startsWith("#") || /^https?:\/\//.test(href)) return href;
  const [, subgraph, operating, anchor = ""] = guideFile.exec(href) ?? [];
  const address = addressOf(subgraph ?? operating?.toLowerCase() ?? "");
  return address === undefined ? undefined : `${address}${anchor}`;
}
