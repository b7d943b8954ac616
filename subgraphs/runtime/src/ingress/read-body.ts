import type { IncomingMessage } from "node:http";

/**
 * A request's body; undefined for more than `maxBytes`. The rest of a longer one is received and dropped after the
 * answer. Otherwise the connection's next request would wait for ever, and behind a proxy that request may be somebody
 * else's.
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
