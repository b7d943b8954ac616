import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FastifyRequest } from "fastify";

const keyForm = /^[\x21-\x7e]{1,255}$/;

/** A request's Idempotency-Key, if it has one. Throws IDEMPOTENCY_KEY_INVALID. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  // Node joins several headers by ", ", and the form refuses the space
  if (typeof key !== "string" || !keyForm.test(key))
    throw new DomainError("IDEMPOTENCY_KEY_INVALID", {
      detail: "Send exactly one Idempotency-Key of 1 to 255 printable ASCII characters without spaces.",
    });
  return key;
}
