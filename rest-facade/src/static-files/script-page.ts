import { type Html, html } from "@factory/runtime/html/html";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addHeader } from "../http/add-header.js";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";
import { type SiteLink, siteBar } from "./site-bar.js";
import type { StaticFiles } from "./static-files.js";

/** A page that runs scripts from the static files. */
export interface ScriptPage {
  readonly title: string;
  readonly here: SiteLink;
  readonly hasGraphiql: boolean;
  /** Entries of the static files. */
  readonly style: string;
  /** They run in this order. */
  readonly scripts: readonly string[];
  readonly content: Html;
}

/** A page's document in memory. */
export type PageDocument = MemoryDocument;

/**
 * The page runs scripts from this origin only, without `eval`, and sends requests to it only. Its libraries set styles
 * inline.
 */
const scriptPageHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
};

/** The page's document, which names the files by their hashes. Without the build it says what is missing. */
export function scriptPage(files: StaticFiles | undefined, page: ScriptPage): PageDocument {
  const { title, here, hasGraphiql, style, scripts, content } = page;
  const parts = files ? scripts.map((entry) => files.addresses(entry)) : [];
  const preloads = parts.flatMap(([, ...imports]) => imports);
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${files && html`<link rel="stylesheet" href="${files.addresses(style)[0] ?? ""}">`}
${preloads.map((address) => html`<link rel="modulepreload" href="${address}">\n`)}${parts.map(([address]) => html`<script src="${address}" defer type="module"></script>\n`)}</head>
<body>
${siteBar(here, hasGraphiql)}
${files ? content : notBuilt}
</body>
</html>
`;
  return memoryDocument(document.text, "text/html");
}

const notBuilt = html`<main id="content"><h1>This page is not built</h1><p>Stop the platform, run <code>npm run build</code>, and start it again.</p></main>`;

/** Answers with the page, or 304 if the caller has it. The caller's copy is checked each time. */
export function sendScriptPage(request: FastifyRequest, reply: FastifyReply, page: PageDocument): FastifyReply {
  addHeader(reply, "vary", "accept");
  return sendDocument(request, reply.headers(scriptPageHeaders), page, "no-cache");
}
