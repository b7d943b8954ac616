import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { ArrivedDelivery, DeliveryHint } from "./arrived-delivery.js";

/** A request as it came in. */
export interface RawDelivery {
  /** The key in the path. Without it the header X-Svc-Provider names the provider. */
  readonly providerKey?: string | null | undefined;
  /** Names and values in turns. A header may occur several times. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** With its query. */
  readonly path: string;
}

/** The form of provider keys. */
const keyForm = /^[a-z0-9][a-z0-9-]{0,62}$/;
const jsonTypes = ["application/json", "application/vnd.service.integration.v1+json"];
/** The media type of the platform in any version. */
const ownType = /^application\/vnd\.service\.integration\b/;
const formType = "application/x-www-form-urlencoded";
const maxBodyBytes = 1024 * 1024;
const maxUnhintedBytes = 64 * 1024;

/**
 * Reads a request and makes the checks that need no secret. Throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE,
 * NOT_ACCEPTABLE, VALIDATION_FAILED or PROVIDER_HEADER_MISSING.
 */
export function arrivedDelivery(
  { providerKey: keyInPath, headers: given, body, path }: RawDelivery,
  { address = "", trace }: RequestContext,
  publicUrl: string,
): ArrivedDelivery {
  const headers = headersOf(given);
  const form = keyInPath == null ? "Specified" : "Vendor";
  requireKnownVersion(headers.get("accept") ?? []);
  const hint = hintOf(path, headers);
  requireKnownType(headers, form);
  requireRoomForBody(body.length, hint);
  const key = (keyInPath ?? headers.get("x-svc-provider")?.[0])?.trim().toLowerCase();
  if (key === undefined || key === "")
    throw new DomainError("PROVIDER_HEADER_MISSING", {
      detail: "Send the key of the provider in the header X-Svc-Provider, or in the path.",
    });
  const duplicate = keyInPath == null && (headers.get("x-svc-provider")?.length ?? 0) > 1;
  const providerKey = keyForm.test(key) && !duplicate ? key : undefined;
  return { form, providerKey, hint, message: { headers, body, url: publicUrl + path }, address, trace };
}

type Headers = ReadonlyMap<string, readonly string[]>;

/** By name in lower case, each with all its values. */
function headersOf(given: readonly string[]): Headers {
  const headers = new Map<string, string[]>();
  for (let place = 0; place + 1 < given.length; place += 2) {
    const [lower, value] = [(given[place] ?? "").toLowerCase(), given[place + 1] ?? ""];
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

/** All malformed ids are one hint, so that they share their limit of failures. */
const idOf = (prefix: "whs" | "con", id: string): string => (decodeId(prefix, id) === undefined ? "" : id);

/** Vendors accept many types, so that only an unknown version of the media type of the platform is refused. */
function requireKnownVersion(accept: readonly string[]): void {
  const ranges = accept
    .flatMap((list) => list.split(","))
    .map((range) => range.split(";", 1)[0]?.trim().toLowerCase() ?? "");
  const served = [...jsonTypes, "application/*", "*/*"];
  if (ranges.some((range) => ownType.test(range)) && !ranges.some((range) => served.includes(range)))
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
  const encoding = headers.get("content-encoding")?.[0];
  if (encoding !== undefined && encoding !== "identity")
    throw new DomainError("UNSUPPORTED_MEDIA_TYPE", {
      detail:
        "The body has a Content-Encoding. Send it without one, because the signature covers the bytes of the body.",
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

function requireRoomForBody(bytes: number, hint: DeliveryHint | undefined): void {
  if (bytes > maxBodyBytes)
    throw new DomainError("PAYLOAD_TOO_LARGE", { detail: "The body is larger than 1 MiB.", maxBytes: maxBodyBytes });
  if (bytes > maxUnhintedBytes && !hint)
    throw new DomainError("PAYLOAD_TOO_LARGE", {
      detail:
        "A body of more than 64 KiB must name the subscription or the connection: call the deliveryUrl of the subscription or connection, which has the parameter subscription or connection, or send the header X-Svc-Subscription. Then at most 1 MiB is allowed.",
      maxBytes: maxUnhintedBytes,
      hint: "?subscription=",
    });
}
