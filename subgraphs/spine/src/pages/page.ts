import type { ServerResponse } from "node:http";
import { Html, html } from "./html.js";
import { style, styleSource } from "./style.js";

export interface Page {
  readonly title: string;
  readonly content: Html;
}

export interface PageAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Origins that a form of the page ends at: browsers hold redirects after a form to form-action as well. */
  readonly formActionOrigins?: readonly string[];
}

/** Nothing runs, nothing is loaded, nobody frames it, and nobody keeps it. */
export function pageHeaders({ headers = {}, formActionOrigins = [] }: PageAnswer): Record<string, string> {
  const policy = [
    "default-src 'none'",
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

export function pageText({ title, content }: Page): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(style)}</style>
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

export function sendPage(response: ServerResponse, page: Page, answer: PageAnswer = {}): void {
  response.writeHead(answer.status ?? 200, pageHeaders(answer));
  response.end(pageText(page));
}
