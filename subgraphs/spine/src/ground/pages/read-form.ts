import type { IncomingMessage } from "node:http";
import { readBody } from "@factory/runtime/ingress/read-body";

const maxFormBytes = 16 * 1024;

/** A form's fields (at most 16 KiB); undefined for another content type or a longer body. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return undefined;
  const body = await readBody(request, maxFormBytes);
  return body && new URLSearchParams(body.toString());
}

/**
 * Whether a form comes from another site, by the headers Origin and Sec-Fetch-Site. Browsers send the origin `null`
 * from our own pages because of their referrer policy. Without both headers the CSRF token still protects the form.
 */
export function isCrossSite({ headers }: IncomingMessage, issuer: string): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== "null" && origin !== new URL(issuer).origin) return true;
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
