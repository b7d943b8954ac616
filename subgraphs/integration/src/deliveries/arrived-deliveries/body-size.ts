import { DomainError } from "@factory/runtime/errors/domain-error";
import type { DeliveryHint } from "./arrived-delivery.js";

export const mebibyte = 1024 * 1024;
/** A larger body takes long to parse. */
export const ordinaryBytes = 64 * 1024;

/** A body's bytes, by what its URL names. An account can be invented, and a resource cannot. */
const maxBodyBytes = { none: ordinaryBytes, account: mebibyte, resource: 25 * mebibyte } as const;

/** The resource that a URL names. */
export const isResource = (hint: DeliveryHint | undefined): hint is DeliveryHint =>
  hint?.kind === "subscription" || hint?.kind === "connection";

export const maxBytesWith = (hint: DeliveryHint | undefined): number =>
  maxBodyBytes[isResource(hint) ? "resource" : hint ? "account" : "none"];

/** Throws PAYLOAD_TOO_LARGE. */
export function requireBodySize(bytes: number, hint: DeliveryHint | undefined): void {
  const maxBytes = maxBytesWith(hint);
  if (bytes <= maxBytes) return;
  if (isResource(hint))
    throw new DomainError("PAYLOAD_TOO_LARGE", { detail: "The body is larger than 25 MiB.", maxBytes });
  throw new DomainError("PAYLOAD_TOO_LARGE", {
    detail: `A body of more than ${hint ? "1 MiB" : "64 KiB"} must name the subscription or the connection: call the deliveryUrl of the subscription or connection, which has the parameter subscription or connection, or send the header X-Svc-Subscription. Then at most 25 MiB are allowed, also after decompression.`,
    maxBytes,
    hint: "?subscription=",
  });
}
