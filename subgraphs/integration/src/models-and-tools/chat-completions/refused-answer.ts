import { DomainError } from "@factory/runtime/errors/domain-error";
import { objectOf, parsedJsonBody, textOf } from "./json-members.js";

/** The codes that may be repeated. Vendors' texts may quote the prompt, so they are not. */
const knownCodes: readonly string[] = [
  "billing_not_active",
  "content_filter",
  "content_policy_violation",
  "context_length_exceeded",
  "insufficient_quota",
  "invalid_api_key",
  "invalid_function_parameters",
  "invalid_prompt",
  "invalid_request_error",
  "invalid_value",
  "model_not_found",
  "string_above_max_length",
  "unknown_parameter",
  "unsupported_parameter",
  "unsupported_value",
];

interface Refused {
  readonly status: number;
  readonly body: Buffer;
  readonly credentialRejected: boolean;
}

/**
 * The refusal for a vendor's answer that is not a success. It names the status and, where it is a known one, the
 * vendor's code.
 */
export function refusedAnswer({ status, body, credentialRejected }: Refused): DomainError {
  if (credentialRejected)
    return new DomainError("CREDENTIAL_REJECTED", { detail: "The vendor refuses the credential of the connection." });
  const { code, type } = objectOf(parsedJsonBody(body)?.["error"]);
  const knownCode = [code, type].map(textOf).find((text) => knownCodes.includes(text));
  const reason = knownCode === undefined ? "" : ` (${knownCode})`;
  if (status >= 500 || status < 400)
    return new DomainError("UPSTREAM_FAILED", { detail: `The vendor answered with the status ${status}${reason}.` });
  if (status === 408)
    return new DomainError("UPSTREAM_TIMEOUT", { detail: `The vendor answered with the status ${status}${reason}.` });
  return new DomainError("MODEL_REQUEST_REFUSED", {
    detail: `The vendor refused the request with the status ${status}${reason}. Change the request, then call again.`,
  });
}
