import { brotliCompressSync, gzipSync } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addHeader } from "./add-header.js";
import { type ContentCoding, contentCodings, smallestCompressed } from "./compression.js";
import { entityTag, matchesEntityTag } from "./entity-tag.js";

/** A public document in memory with its entity tag. */
export interface MemoryDocument {
  readonly text: string;
  readonly tag: string;
  readonly mediaType: string;
  /** The compressed text. Each is made once, so that no caller can make the platform compress it again and again. */
  readonly compressed: Map<ContentCoding, Buffer>;
}

/** Makes a document from the text, whose media type has no parameters. */
export const memoryDocument = (text: string, mediaType: string): MemoryDocument => ({
  ...{ text, mediaType },
  tag: entityTag(text),
  compressed: new Map(),
});

const anHour = "public, max-age=3600";

/** Answers with the document, or 304 if the caller has it. Caches may keep it for an hour, unless the caller says so. */
export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  document: MemoryDocument,
  cacheControl = anHour,
): FastifyReply {
  addHeader(reply, "vary", "accept-encoding");
  reply.header("etag", document.tag).header("cache-control", cacheControl);
  const knownTags = headers["if-none-match"];
  if (knownTags !== undefined && matchesEntityTag(knownTags, document.tag)) return reply.code(304).send();
  reply.header("content-type", `${document.mediaType}; charset=utf-8`);
  const isShort = document.text.length < smallestCompressed;
  const coding = isShort ? undefined : acceptedCoding(headers["accept-encoding"]);
  if (coding === undefined) return reply.send(document.text);
  return reply.header("content-encoding", coding).send(compressedText(document, coding));
}

/** The coding that the caller prefers among those that the platform offers. */
export function acceptedCoding(acceptEncoding: string | string[] | undefined): ContentCoding | undefined {
  if (typeof acceptEncoding !== "string") return undefined;
  const chosen = negotiate(acceptEncoding, [...contentCodings]);
  return contentCodings.find((coding) => coding === chosen);
}

function compressedText({ text, compressed }: MemoryDocument, coding: ContentCoding): Buffer {
  const bytes = compressed.get(coding) ?? (coding === "br" ? brotliCompressSync(text) : gzipSync(text));
  compressed.set(coding, bytes);
  return bytes;
}
