import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { systemErrorCode } from "@factory/runtime/errors/system-error";

/** A body that was read completely. */
export interface ReadBody {
  /** As it was before it was compressed. */
  readonly body: Buffer;
  /** A compressed body's bytes. */
  readonly sentBody?: Buffer;
}

interface Rules {
  readonly isCompressed: boolean;
  /** Throws for a body with so many bytes, compressed or not. */
  readonly requireSize: (bytes: number) => void;
  /** Takes memory for further bytes, and throws when there is none. */
  readonly take: (bytes: number) => void;
}

/**
 * Reads a body and inflates it. Its size is compared with each part that comes, so that a body is never longer in memory
 * than its limit, however small it was when it was sent. Throws VALIDATION_FAILED for a body that does not end.
 */
export async function readBody(
  source: Buffer | AsyncIterable<Uint8Array>,
  { isCompressed, requireSize, take }: Rules,
): Promise<ReadBody> {
  const counterFor = (chunks: Buffer[]) => {
    let bytes = 0;
    return (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      requireSize(bytes);
      take(chunk.byteLength);
      chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk));
    };
  };
  const sentChunks: Buffer[] = [];
  const receive = counterFor(sentChunks);
  if (!isCompressed) {
    for await (const chunk of partsOf(source)) receive(chunk);
    return { body: joinChunks(sentChunks) };
  }
  const inflatedChunks: Buffer[] = [];
  const inflate = counterFor(inflatedChunks);
  async function* received() {
    for await (const chunk of partsOf(source)) {
      receive(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(Readable.from(received(), { objectMode: false }), createGunzip(), async (parts) => {
      for await (const part of parts as AsyncIterable<Buffer>) inflate(part);
    });
  } catch (error) {
    throw String(systemErrorCode(error)).startsWith("Z_") ? notGzip() : error;
  }
  return { body: joinChunks(inflatedChunks), sentBody: joinChunks(sentChunks) };
}

const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/** A body's parts. A sender that goes away has sent no body. */
async function* partsOf(source: Buffer | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (Buffer.isBuffer(source)) {
    if (source.length > 0) yield source;
    return;
  }
  try {
    yield* source;
  } catch {
    throw invalidBody("The request ended before its body was complete.");
  }
}

const notGzip = () => invalidBody("The body is not compressed with gzip, as its Content-Encoding says.");

const invalidBody = (detail: string) =>
  new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer: "", code: "FORMAT", detail }] });
