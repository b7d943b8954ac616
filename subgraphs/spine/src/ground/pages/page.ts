import type { ServerResponse } from "node:http";
import { Html, html } from "@factory/runtime/html/html";
import { style, styleSource } from "./style.js";

/** The title and the `main` content in a page for people. */
export interface Page {
  readonly title: string;
  readonly content: Html;
  /** The path of a platform script. Without it the page runs no script. */
  readonly script?: string;
}

/** Status (200 if absent), more headers, and where the page's forms may lead. */
export interface PageAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Origins for `form-action`: browsers apply the directive to redirects after a form, too. */
  readonly formActionOrigins?: readonly string[];
  /** Whether the page runs the platform's own scripts. */
  readonly hasScript?: boolean;
}

/** Headers for every page: it runs no foreign script, loads nothing, cannot be framed, and is not cached. */
export function pageHeaders({ headers = {}, formActionOrigins = [], hasScript }: PageAnswer): Record<string, string> {
  const policy = [
    "default-src 'none'",
    ...(hasScript ? ["script-src 'self'"] : []),
    `style-src ${styleSource}`,
    `form-action 'self'${formActionOrigins.map((target) => ` ${target}`).join("")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    ...headers,
  };
}

/** The whole HTML document. */
export function pageText({ title, content, script }: Page): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(style)}</style>
${script === undefined ? undefined : html`<script src="${script}" defer></script>`}
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return document.text;
}

/** Answers with a page. */
export function sendPage(response: ServerResponse, page: Page, answer: PageAnswer = {}): void {
  response.writeHead(answer.status ?? 200, pageHeaders({ ...answer, hasScript: page.script !== undefined }));
  response.end(pageText(page));
}
