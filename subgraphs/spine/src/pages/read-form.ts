import type { IncomingMessage } from "node:http";

const maxFormBytes = 16 * 1024;

/** The fields of a form; undefined for what no form of ours sends. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxFormBytes) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/**
 * Browsers say where a form comes from. `null` is what they send from our own pages, because of the referrer policy;
 * then Sec-Fetch-Site tells, and where neither is there, the form's token still does.
 */
export function isCrossSite({ headers }: IncomingMessage, issuer: string): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== "null" && origin !== new URL(issuer).origin) return true;
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
