import fastifyCompress, { type FastifyCompressOptions } from "@fastify/compress";
import type { FastifyInstance, FastifyReply } from "fastify";

/** The content codings that the platform offers, the preferred one first. */
export const contentCodings = ["br", "gzip"] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** A shorter text is sent as it is (bytes). */
export const smallestCompressed = 1024;

// bodies of requests stay refused with a coding, because their size is checked before they are read
const options: FastifyCompressOptions = {
  globalDecompression: false,
  encodings: [...contentCodings],
  threshold: smallestCompressed,
};

/** Compresses all answers in this scope, where the caller accepts it. */
export async function compressAnswers(scope: FastifyInstance): Promise<void> {
  await scope.register(fastifyCompress, { ...options, globalCompression: true });
}

/** Lets the routes in this scope choose answers, by `sendCompressed`. */
export async function offerCompression(scope: FastifyInstance): Promise<void> {
  await scope.register(fastifyCompress, { ...options, globalCompression: false });
}

/** Sends the text, compressed where the scope offers it and the caller accepts it. */
export function sendCompressed(reply: FastifyReply, text: string): FastifyReply {
  if (!("compress" in reply)) return (reply as FastifyReply).send(text);
  reply.compress(text);
  return reply;
}
