import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { VendorResponse } from "../../connections/vendor-calls/exchange/vendor-call.js";
import { valueInPayload } from "./answer-value.js";

/**
 * Where vendors put a refusal's code, the most exact one first. Checked against the errors that are published by Stripe
 * (`error.decline_code`, `last_payment_error`), Twilio (`code`), Adyen (`refusalReasonCode`, `errorCode`), Zendesk
 * (`error`), HubSpot (`category`) and JSON:API (`errors[0].code`).
 */
const places = [
  "/error/decline_code",
  "/error/code",
  "/last_payment_error/decline_code",
  "/last_payment_error/code",
  "/failure_code",
  "/decline_code",
  "/refusalReasonCode",
  "/errors/0/code",
  "/code",
  "/errorCode",
  "/error_code",
  "/category",
  "/error/type",
  "/error",
] as const;

/** A code, and no text that may repeat what was sent. */
const codeForm = /^[A-Za-z0-9][\w.:-]{0,79}$/;

/** The code for a refusal or failure in a vendor's payload, also within an event's `data.object`. */
export function refusalCodeIn(payload: unknown): string | undefined {
  for (const prefix of ["", "/data/object"])
    for (const place of places) {
      const code = valueInPayload(payload, `body:${prefix}${place}`);
      if (code !== null && codeForm.test(code)) return code;
    }
  return undefined;
}

/** As `refusalCodeIn`, for an answer, whose body may be anything. */
export function refusalCodeOf({ body, truncated }: Pick<VendorResponse, "body" | "truncated">): string | undefined {
  if (truncated) return undefined;
  try {
    return refusalCodeIn(parseForeignJson(body.toString("utf8")));
  } catch {
    return undefined;
  }
}
