import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FastifyInstance } from "fastify";
import { pageHeaders } from "../event-documents/page-style.js";
import { addHeader } from "../http/add-header.js";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";
import { siteBar } from "../static-files/site-bar.js";
import { type Guide, guidePage, guidesPage } from "./guides-page.js";

/**
 * Serves `/docs/guides`, a page that lists the guides, and each guide below it: as a page for a browser, and as its text
 * otherwise.
 */
export function serveGuides(app: FastifyInstance, guides: readonly Guide[], hasGraphiql: boolean): void {
  const bar = siteBar("/docs/guides", hasGraphiql);
  const list = memoryDocument(guidesPage(guides, bar), "text/html");
  // text/plain, since many browsers save text/markdown to a file
  const texts = new Map(guides.map((guide) => [guide.name, { guide, text: memoryDocument(guide.text, "text/plain") }]));
  const pages = new Map<string, MemoryDocument>();
  app.get("/docs/guides", (request, reply) => sendDocument(request, reply.headers(pageHeaders), list, "no-cache"));
  app.get<{ Params: { name: string } }>("/docs/guides/:name", (request, reply) => {
    const entry = texts.get(request.params.name);
    if (!entry) throw new DomainError("NOT_FOUND", { detail: "This guide does not exist. /docs/guides lists them." });
    addHeader(reply, "vary", "accept");
    reply.headers(pageHeaders);
    if (!request.headers.accept?.includes("text/html")) return sendDocument(request, reply, entry.text);
    const page = pages.get(entry.guide.name) ?? memoryDocument(guidePage(guides, entry.guide, bar), "text/html");
    pages.set(entry.guide.name, page);
    return sendDocument(request, reply, page, "no-cache");
  });
}
