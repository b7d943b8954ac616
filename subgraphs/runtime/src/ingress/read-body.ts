import type { IncomingMessage } from "node:http";

/**
 * The body of a request; undefined for more than `maxBytes`. The rest of a longer one is received and dropped after the
 * answer, because otherwise the next request of the connection, behind a proxy that of somebody else, would wait for ever.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) break;
    chunks.push(chunk);
  }
  if (size <= maxBytes) return Buffer.concat(chunks);
  request.resume();
  return undefined;
}
