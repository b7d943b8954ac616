import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { ArrivedDelivery, DeliveryHint } from "./arrived-delivery.js";
import type { ReadBody } from "./read-body.js";

/** A request as it came in. */
export interface RawDelivery {
  /** The key in the path. Without it the header X-Svc-Provider names the provider. */
  readonly providerKey?: string | null | undefined;
  /** Names and values in turns. A header may occur several times. */
  readonly headers: readonly string[];
  readonly body: BodySource;
  /** With its query. */
  readonly path: string;
  /** The default is POST. */
  readonly method?: string | null | undefined;
}

/** A body's bytes, which may not have come yet. */
export type BodySource = Buffer | AsyncIterable<Uint8Array>;

/** The form for provider keys. */
const keyForm = /^[a-z0-9][a-z0-9-]{0,62}$/;
const jsonTypes = ["application/json", "application/vnd.service.integration.v1+json"];
/** The platform's media type in any version. */
const ownType = /^application\/vnd\.service\.integration\b/;
const formType = "application/x-www-form-urlencoded";

/** A request before its body is read. */
export interface ArrivingDelivery extends Omit<ArrivedDelivery, "message"> {
  readonly method: string;
  readonly headers: Headers;
  /** The URL that the sender called, with its query. */
  readonly url: string;
  /** Whether the body is compressed with gzip. */
  readonly isCompressed: boolean;
}

/** Reads a request's headers and URL. */
export function arrivingDelivery(
  { providerKey: keyInPath, headers: rawHeaders, path, method }: Omit<RawDelivery, "body">,
  { address = "", trace }: RequestContext,
  publicUrl: string,
): ArrivingDelivery {
  const headers = headersOf(rawHeaders);
  const form = keyInPath == null ? "Specified" : "Vendor";
  const key = keyInPath ?? singleProvider(headers);
  const providerKey =
    key !== undefined && keyForm.test(key.trim().toLowerCase()) ? key.trim().toLowerCase() : undefined;
  return {
    ...{ form, providerKey, hint: hintOf(path, headers), headers, url: publicUrl + path, address, trace },
    method: method ?? "POST",
    isCompressed: gzipNames.includes(encodingOf(headers)),
  };
}

/** RFC 9110, section 8.4.1.3. */
const gzipNames = ["gzip", "x-gzip"];
const encodingOf = (headers: Headers): string => headers.get("content-encoding")?.join(",").trim().toLowerCase() ?? "";

/** The headers with which the specification signs. */
const specifiedSignatures = ["x-hub-signature-256", "x-jws-signature"];

/**
 * Makes the checks that need neither the body nor a secret. Throws UNSUPPORTED_MEDIA_TYPE, NOT_ACCEPTABLE,
 * VALIDATION_FAILED, PROVIDER_HEADER_MISSING or SIGNATURE_MISSING.
 */
export function requireAcceptable({ form, headers }: ArrivingDelivery): void {
  requireKnownVersion(headers.get("accept") ?? []);
  requireKnownType(headers, form);
  if (form === "Vendor") return;
  const key = headers.get("x-svc-provider")?.[0]?.trim();
  if (key === undefined || key === "")
    throw new DomainError("PROVIDER_HEADER_MISSING", {
      detail: "Send the key of the provider in the header X-Svc-Provider, or in the path.",
    });
  // before anything is looked up, so that known and unknown providers have the same answer
  if (!specifiedSignatures.some((name) => headers.has(name)))
    throw new DomainError("SIGNATURE_MISSING", {
      detail: "Sign the body, and send the signature in the header X-Hub-Signature-256 or x-jws-signature.",
    });
}

/** The delivery with its body, as it was before it was compressed. */
export function withBody(arriving: ArrivingDelivery, { body, sentBody }: ReadBody): ArrivedDelivery {
  const { form, providerKey, hint, address, trace, headers, url } = arriving;
  const message = { headers, body, ...(sentBody ? { sentBody } : {}), url };
  return { form, providerKey, hint, address, trace, message };
}

/** A header that names two providers names none. */
function singleProvider(headers: Headers): string | undefined {
  const values = headers.get("x-svc-provider");
  return values?.length === 1 ? values[0] : undefined;
}

type Headers = ReadonlyMap<string, readonly string[]>;

/** By name in lower case, each with all its values. */
function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Map<string, string[]>();
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    const [lower, value] = [(rawHeaders[place] ?? "").toLowerCase(), rawHeaders[place + 1] ?? ""];
    const values = headers.get(lower);
    if (values) values.push(value);
    else headers.set(lower, [value]);
  }
  return headers;
}

function hintOf(path: string, headers: Headers): DeliveryHint | undefined {
  const at = path.indexOf("?");
  const query = new URLSearchParams(at < 0 ? "" : path.slice(at + 1));
  const subscription = query.get("subscription") ?? headers.get("x-svc-subscription")?.[0];
  if (subscription != null) return { kind: "subscription", value: idOf("whs", subscription) };
  const connection = query.get("connection");
  if (connection !== null) return { kind: "connection", value: idOf("con", connection) };
  const account = query.get("account");
  return account === null ? undefined : { kind: "account", value: account.slice(0, 255) };
}

/** All malformed ids are one hint, so that they share their limit on failures. */
const idOf = (prefix: "whs" | "con", id: string): string => (decodeId(prefix, id) === undefined ? "" : id);

/** Vendors accept many types, so only an unknown version of the platform's media type is refused. */
function requireKnownVersion(accept: readonly string[]): void {
  const ranges = accept
    .flatMap((list) => list.split(","))
    .map((range) => range.split(";", 1)[0]?.trim().toLowerCase() ?? "");
  const servedTypes = [...jsonTypes, "application/*", "*/*"];
  if (ranges.some((range) => ownType.test(range)) && !ranges.some((range) => servedTypes.includes(range)))
    throw new DomainError("NOT_ACCEPTABLE", {
      detail: `The Accept header names a version that is not served here. Send ${jsonTypes.join(" or ")}, or leave the header out.`,
      supported: jsonTypes,
    });
}

const isOtherJson = (type: string): boolean => /^application\/[\w.-]+\+json$/.test(type) && !ownType.test(type);

function requireOneType(headers: Headers): void {
  if ((headers.get("content-type")?.length ?? 0) > 1)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The header Content-Type must occur once.",
      errors: [{ pointer: "", code: "FORMAT", detail: "The header Content-Type occurs several times." }],
    });
}

function requireKnownType(headers: Headers, form: ArrivedDelivery["form"]): void {
  if (!["", "identity", ...gzipNames].includes(encodingOf(headers)))
    throw new DomainError("UNSUPPORTED_MEDIA_TYPE", {
      detail: "The body has a Content-Encoding that is not supported. Send it without one, or with gzip.",
    });
  requireOneType(headers);
  const type = headers.get("content-type")?.[0]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isJson = jsonTypes.includes(type) || (form === "Vendor" && isOtherJson(type));
  if (!isJson && !(form === "Vendor" && type === formType))
    throw new DomainError("UNSUPPORTED_MEDIA_TYPE", {
      detail:
        form === "Vendor"
          ? `The body must be JSON or a form. Send the Content-Type application/json or ${formType}.`
          : "The body must be JSON. Send the Content-Type application/json.",
    });
}
