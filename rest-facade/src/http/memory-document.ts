import type { FastifyReply, FastifyRequest } from "fastify";
import { entityTag, matchesEntityTag } from "./entity-tag.js";

/** A public document in memory with its entity tag. */
export interface MemoryDocument {
  readonly text: string;
  readonly tag: string;
  readonly mediaType: string;
}

/** Makes a document from the text, whose media type has no parameters. */
export const memoryDocument = (text: string, mediaType: string): MemoryDocument => ({
  ...{ text, mediaType },
  tag: entityTag(text),
});

/** Answers with the document, or 304 if the caller has it. Caches may keep it for an hour. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: MemoryDocument): FastifyReply {
  reply.header("etag", document.tag).header("cache-control", "public, max-age=3600");
  const knownTags = request.headers["if-none-match"];
  if (knownTags !== undefined && matchesEntityTag(knownTags, document.tag)) return reply.code(304).send();
  return reply.header("content-type", `${document.mediaType}; charset=utf-8`).send(document.text);
}
