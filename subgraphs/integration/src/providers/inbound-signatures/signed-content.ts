import { createHash, timingSafeEqual } from "node:crypto";
import { type InboundMessage, singleHeader } from "./inbound-message.js";

/** The parts in a scheme that say which content is signed. */
interface ContentRule {
  readonly signedContent: string;
  readonly bodyHashParameter?: string;
}

/** The values in the signed headers. */
interface SignedHeaders {
  readonly timestamp?: string | undefined;
  readonly id?: string | undefined;
}

const maxParameters = 1_000;
const formType = /^application\/x-www-form-urlencoded *(?:;|$)/i;
const urlForm = /^(https?):\/\/([^/?#]+)(.*)$/s;
const placeholder = /\{(body|timestamp|id|url|form)\}/;

/**
 * The content that the vendor may have signed; undefined where no part of it covers the body. There are two contents
 * where the URL is signed, since vendors do not agree whether it names its port, and for a body that was sent
 * compressed, since they do not agree which one is signed.
 */
export function signedContents(
  rule: ContentRule,
  message: InboundMessage,
  headers: SignedHeaders,
): Buffer[] | undefined {
  const { body, sentBody } = message;
  const bodies = sentBody === undefined ? [body] : [body, sentBody];
  const contents = bodies.flatMap((body) => contentsOf(rule, { ...message, body }, headers) ?? []);
  return contents.length > 0 ? contents : undefined;
}

function contentsOf(
  { signedContent, bodyHashParameter }: ContentRule,
  message: InboundMessage,
  { timestamp = "", id = "" }: SignedHeaders,
): Buffer[] | undefined {
  const parts = signedContent.split(placeholder);
  const names = parts.filter((_, index) => index % 2 === 1);
  const form = names.includes("form") ? formText(message) : "";
  const isBodyHashed = bodyHashParameter !== undefined && hasBodyHash(message, bodyHashParameter);
  const coversBody = names.includes("body") || (names.includes("form") && form !== undefined) || isBodyHashed === true;
  if (!coversBody || isBodyHashed === undefined) return undefined;
  const urls = names.includes("url") ? urlSpellings(message.url) : [""];
  return urls.map((url) => {
    const values: Record<string, string | Buffer> = { body: message.body, timestamp, id, url, form: form ?? "" };
    const chunks = parts.map((part, index) => (index % 2 === 1 ? (values[part] ?? "") : part));
    return chunks.length === 3 && chunks[0] === "" && chunks[2] === "" && Buffer.isBuffer(chunks[1])
      ? chunks[1]
      : Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
  });
}

/** A form's parameters sorted by name, each as name and value; equal parameters once. Undefined: not a form. */
function formText(message: InboundMessage): string | undefined {
  if (!formType.test(singleHeader(message, "content-type") ?? "")) return undefined;
  const text = message.body.toString("utf8");
  if (text.split("&", maxParameters + 1).length > maxParameters) return undefined;
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(text)) values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values.keys()]
    .sort()
    .flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value))
    .join("");
}

/** Whether the query has the body's SHA-256; false: it has none, undefined: a wrong one or several. */
function hasBodyHash({ url, body }: InboundMessage, parameter: string): boolean | undefined {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? "";
  const hashes = new URLSearchParams(query).getAll(parameter);
  if (hashes.length === 0) return false;
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const [value = ""] = hashes;
  if (hashes.length > 1 || value.length !== bodyHash.length || !/^[0-9a-f]+$/i.test(value)) return undefined;
  return timingSafeEqual(Buffer.from(value.toLowerCase()), Buffer.from(bodyHash)) ? true : undefined;
}

/** The URL as it is, and with the port that it names left out or its scheme's port named. */
function urlSpellings(url: string): string[] {
  const [, scheme, authority, rest] = urlForm.exec(url) ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined) return [url];
  const bare = authority.replace(/:\d+$/, "");
  const other = bare === authority ? `${authority}:${scheme === "https" ? 443 : 80}` : bare;
  return [url, `${scheme}://${other}${rest}`];
}
