import type { FastifyInstance } from "fastify";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";
import { describeEvents } from "./async-api.js";
import { serveEventSchemas } from "./serve-event-schemas.js";

/**
 * Serves `/asyncapi.json` and the schemas of events. The documents name the public address, which is known after the
 * listener is open, so they are made at the first request.
 */
export function serveEventDocuments(app: FastifyInstance, publicUrl: () => string): void {
  let document: MemoryDocument | undefined;
  app.get("/asyncapi.json", (request, reply) => {
    document ??= memoryDocument(JSON.stringify(describeEvents(publicUrl())), "application/json");
    return sendDocument(request, reply, document);
  });
  serveEventSchemas(app);
}
