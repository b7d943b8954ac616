import type { IncomingMessage } from "node:http";
import { readBody } from "@factory/runtime/ingress/read-body";

const maxBytes = 1024;

/** The field `formToken` of the form; undefined for another content type, a longer body, or without it. */
export async function readConfirmation(request: IncomingMessage): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) return undefined;
  const body = await readBody(request, maxBytes);
  if (!body) return undefined;
  const values = new URLSearchParams(body.toString("utf8")).getAll("formToken");
  return values.length === 1 ? values[0] : undefined;
}
