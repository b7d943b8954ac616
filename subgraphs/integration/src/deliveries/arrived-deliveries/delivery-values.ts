import { isUtf8 } from "node:buffer";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { scanJson } from "@factory/runtime/input-validation/json-scan";
import { deliveryJsonLimit, requireJsonSize } from "@factory/runtime/input-validation/json-size";
import { isKeptNumber, numberText, parsingForeignJson } from "@factory/runtime/json/kept-numbers";
import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";
import type { ValuePath, WebhookDescription } from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivedDelivery } from "./arrived-delivery.js";

const maxEchoedBytes = 1024;
const pathSeparator = " & ";

/** A delivery and its body, or one event in a batch, parsed. */
export interface Source {
  readonly delivery: ArrivedDelivery;
  readonly body: unknown;
}

interface ParsedBody {
  readonly body: unknown;
  /** The same as JSON text. */
  readonly text: string;
}

/** The parsed bodies, by the form field that holds them. */
const parsedBodies = new WeakMap<ArrivedDelivery, Map<string | undefined, ParsedBody>>();

/** The body, parsed once for each way to read a form. Throws MALFORMED_JSON. */
export const parsedBody = (
  delivery: ArrivedDelivery,
  description: Pick<WebhookDescription, "formPayload"> = {},
): ParsedBody => doAtOnce(parsingBody(delivery, description));

/** The same, with pauses. */
export function* parsingBody(
  delivery: ArrivedDelivery,
  { formPayload }: Pick<WebhookDescription, "formPayload"> = {},
): PausableWork<ParsedBody> {
  const bodies = parsedBodies.get(delivery) ?? new Map<string | undefined, ParsedBody>();
  parsedBodies.set(delivery, bodies);
  const name = isForm(delivery.message.headers.get("content-type")?.[0]) ? formPayload : undefined;
  const body = bodies.get(name) ?? (yield* parse(delivery, name));
  bodies.set(name, body);
  return body;
}

function* parse({ form, message }: ArrivedDelivery, formPayload: string | undefined): PausableWork<ParsedBody> {
  if (!isUtf8(message.body)) throw malformedJson("The body is not valid UTF-8.");
  const text = message.body.toString("utf8");
  if (form === "Vendor" && isForm(message.headers.get("content-type")?.[0])) {
    requireJsonSize({ members: text.split("&", deliveryJsonLimit.members + 1).length, values: 0 }, deliveryJsonLimit);
    const fields = new URLSearchParams(text);
    const payload = formPayload === undefined ? undefined : fields.get(formPayload);
    if (payload != null) return { body: yield* parsedJson(payload), text: payload };
    const body = Object.fromEntries(fields);
    return { body, text: JSON.stringify(body) };
  }
  return { body: yield* parsedJson(text, message.body), text };
}

function* parsedJson(text: string, bytes: Uint8Array = Buffer.from(text)): PausableWork<unknown> {
  yield* scanJson(bytes, deliveryJsonLimit);
  try {
    return yield* parsingForeignJson(text);
  } catch {
    throw malformedJson("The body is not JSON.");
  }
}

export const isForm = (mediaType: string | undefined): boolean =>
  mediaType?.toLowerCase().startsWith("application/x-www-form-urlencoded") ?? false;

const malformedJson = (detail: string) => new DomainError("MALFORMED_JSON", { detail });

/** The answer to a vendor's test of the URL; undefined for another delivery. */
export function challengeOf({ challenge }: Pick<WebhookDescription, "challenge">, source: Source): string | undefined {
  if (!challenge || valueAt(challenge.when, source) !== challenge.equals) return undefined;
  const answer = valueAt(challenge.answer, source);
  if (answer === undefined) throw invalid("", "FORMAT", "The test of the URL has no challenge.");
  return requireEchoable(answer);
}

/** Throws VALIDATION_FAILED for a value that is too long to be sent back. */
export function requireEchoable(value: string): string {
  if (Buffer.byteLength(value) <= maxEchoedBytes) return value;
  throw invalid("", "TOO_LONG", `The challenge must have at most ${maxEchoedBytes} bytes.`);
}

/** The events in a body; undefined where the place for a list holds none. */
export function eventsIn(
  { batch, events }: Pick<WebhookDescription, "batch" | "events">,
  body: unknown,
): readonly unknown[] | undefined {
  if (!batch && events === undefined) return [body];
  const list = events === undefined ? body : pointedAt(body, events.slice("body:".length));
  return Array.isArray(list) ? list : undefined;
}

export function firstValue(paths: readonly ValuePath[], source: Source): string | undefined {
  for (const path of paths) {
    const value = valueAt(path, source);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Whether all values on a path stand in the body. */
export const isInBody = (path: ValuePath): boolean =>
  path.split(pathSeparator).every((part) => /^(?:body|form):/.test(part));

/**
 * The value at a path as text; undefined where there is none, or an object or a list. Several paths with ` & ` between
 * them must each have a value, which are joined with a dot. Throws VALIDATION_FAILED for a header that occurs twice.
 */
export function valueAt(path: ValuePath, source: Source): string | undefined {
  if (!path.includes(pathSeparator)) return singleValue(path, source);
  const values = path.split(pathSeparator).map((part) => singleValue(part, source));
  return values.includes(undefined) ? undefined : values.join(".");
}

function singleValue(path: ValuePath, { delivery, body }: Source): string | undefined {
  const colon = path.indexOf(":");
  const [kind, name] = [path.slice(0, colon), path.slice(colon + 1)];
  if (kind === "text") return name;
  if (kind === "header") {
    const values = delivery.message.headers.get(name) ?? [];
    if (values.length > 1) throw invalid("", "FORMAT", `The header ${name} must occur once.`);
    return values[0] || undefined;
  }
  return textOf(kind === "form" ? memberOf(body, name) : pointedAt(body, name));
}

/** The value at a path `body:…` as text. */
export const valueInBody = (path: ValuePath, body: unknown): string | undefined =>
  textOf(pointedAt(body, path.slice("body:".length)));

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value || undefined;
  return typeof value === "boolean" ? String(value) : numberText(value);
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && !isKeptNumber(value) && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** RFC 6901 */
function pointedAt(body: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce((value, token) => memberOf(value, token.replaceAll("~1", "/").replaceAll("~0", "~")), body);
}

/** The error for one member of a delivery. */
export const invalid = (pointer: string, code: string, detail: string) =>
  new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer, code, detail }] });
