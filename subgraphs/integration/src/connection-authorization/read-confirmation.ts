import type { IncomingMessage } from "node:http";

const maxBytes = 1024;

/** The field `formToken` of the form; undefined for another content type, a longer body, or without it. */
export async function readConfirmation(request: IncomingMessage): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const values = new URLSearchParams(Buffer.concat(chunks).toString("utf8")).getAll("formToken");
  return values.length === 1 ? values[0] : undefined;
}
