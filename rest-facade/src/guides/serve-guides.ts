import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FastifyInstance } from "fastify";
import { pageHeaders } from "../event-documents/page-style.js";
import { memoryDocument, sendDocument } from "../http/memory-document.js";
import { type Guide, guidesPage } from "./guides-page.js";

/** Serves `/docs/guides`, a page that lists the guides, and each guide as text below it. */
export function serveGuides(app: FastifyInstance, guides: readonly Guide[]): void {
  const list = memoryDocument(guidesPage(guides), "text/html");
  // browsers show text/plain, but many save text/markdown to a file
  const documents = new Map(guides.map(({ name, text }) => [name, memoryDocument(text, "text/plain")]));
  app.get("/docs/guides", (request, reply) => sendDocument(request, reply.headers(pageHeaders), list));
  app.get<{ Params: { name: string } }>("/docs/guides/:name", (request, reply) => {
    const document = documents.get(request.params.name);
    if (!document)
      throw new DomainError("NOT_FOUND", { detail: "This guide does not exist. /docs/guides lists them." });
    return sendDocument(request, reply.headers(pageHeaders), document);
  });
}
