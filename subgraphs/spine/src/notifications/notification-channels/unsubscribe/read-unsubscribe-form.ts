import type { IncomingMessage } from "node:http";
import { readBody } from "@factory/runtime/ingress/read-body";

/** The token is absent in the POST of a mail program, whose address has it. */
export interface UnsubscribeForm {
  readonly token: string | undefined;
}

const maxBytes = 16 * 1024;

/**
 * Reads the form `List-Unsubscribe=One-Click` of RFC 8058, section 3.2, which mail programs send as multipart/form-data or
 * urlencoded. Undefined for anything else, and for more than 16 KiB.
 */
export async function readUnsubscribeForm(request: IncomingMessage): Promise<UnsubscribeForm | undefined> {
  const type = request.headers["content-type"] ?? "";
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(type)) return undefined;
  const bytes = await readBody(request, maxBytes);
  if (!bytes) return undefined;
  const body = new Uint8Array(bytes);
  const fields = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined);
  if (fields?.get("List-Unsubscribe") !== "One-Click") return undefined;
  const token = fields.get("token");
  return { token: typeof token === "string" ? token : undefined };
}
