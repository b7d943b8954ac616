import { DomainError } from "@factory/runtime/errors/domain-error";
import { envelopeSchema, eventSchemas } from "@factory/schema/event-schemas";
import { exampleEvent } from "@factory/schema/example-message";
import type { FastifyInstance } from "fastify";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";

const schemaDocument = (schema: object) =>
  memoryDocument(JSON.stringify(schema, undefined, 2), "application/schema+json");

/** Serves `/schemas/events/{type}`, each event type's JSON Schema with an example, and the envelope's schema. */
export function serveEventSchemas(app: FastifyInstance): void {
  const documents = new Map<string, MemoryDocument>([["envelope", schemaDocument(envelopeSchema)]]);
  for (const [type, schema] of eventSchemas)
    documents.set(type, schemaDocument({ ...schema, examples: [exampleEvent(type)?.data] }));
  app.get<{ Params: { type: string } }>("/schemas/events/:type", (request, reply) => {
    const document = documents.get(request.params.type);
    if (!document)
      throw new DomainError("NOT_FOUND", {
        detail:
          "This event type does not exist, or this release does not emit it. GET /webhooks/event-types lists them.",
      });
    return sendDocument(request, reply, document);
  });
}
