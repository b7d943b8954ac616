import { DomainError } from "@factory/runtime/errors/domain-error";
import type { EventType } from "@factory/schema/event-names";
import { envelopeSchema, eventSchemas } from "@factory/schema/event-schemas";
import { exampleEvent } from "@factory/schema/example-message";
import type { FastifyInstance } from "fastify";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";

const schemaDocument = (schema: object) =>
  memoryDocument(JSON.stringify(schema, undefined, 2), "application/schema+json");

/** Serves `/schemas/events/{type}`, each event type's JSON Schema with an example, and the envelope's schema. */
export function serveEventSchemas(app: FastifyInstance): void {
  const documents = new Map<string, MemoryDocument>();
  app.get<{ Params: { type: string } }>("/schemas/events/:type", (request, reply) => {
    const { type } = request.params;
    const document = documents.get(type) ?? documentOf(type);
    if (!document)
      throw new DomainError("NOT_FOUND", {
        detail:
          "This event type does not exist, or this release does not emit it. GET /webhooks/event-types lists them.",
      });
    documents.set(type, document);
    return sendDocument(request, reply, document);
  });
}

/** Made for its first reader, since the examples of all types cost a start 40 ms. */
function documentOf(type: string): MemoryDocument | undefined {
  if (type === "envelope") return schemaDocument(envelopeSchema);
  const schema = eventSchemas.get(type as EventType);
  return schema && schemaDocument({ ...schema, examples: [exampleEvent(type as EventType)?.data] });
}
