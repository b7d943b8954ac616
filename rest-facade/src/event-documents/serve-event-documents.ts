import type { FastifyInstance } from "fastify";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";
import { siteBar } from "../static-files/site-bar.js";
import { describeEvents } from "./async-api.js";
import { eventsPage } from "./events-page.js";
import { pageHeaders } from "./page-style.js";
import { serveEventSchemas } from "./serve-event-schemas.js";

/**
 * Serves `/asyncapi.json`, the page `/docs/events` and the event schemas. The documents name the public address, which
 * is known after the listener is open, so they are made at the first request.
 */
export function serveEventDocuments(app: FastifyInstance, publicUrl: () => string, hasGraphiql: boolean): void {
  let documentCache: { api: MemoryDocument; page: MemoryDocument } | undefined;
  const documents = () => {
    const api = describeEvents(publicUrl());
    return {
      api: memoryDocument(JSON.stringify(api), "application/json"),
      page: memoryDocument(eventsPage(api, siteBar("/docs/events", hasGraphiql)), "text/html"),
    };
  };
  app.get("/asyncapi.json", (request, reply) => {
    documentCache ??= documents();
    return sendDocument(request, reply, documentCache.api);
  });
  app.get("/docs/events", (request, reply) => {
    documentCache ??= documents();
    return sendDocument(request, reply.headers(pageHeaders), documentCache.page, "no-cache");
  });
  serveEventSchemas(app);
}
