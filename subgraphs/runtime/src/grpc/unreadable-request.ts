import { DomainError } from "../errors/domain-error.js";

/**
 * Stands for a request that does not match its message type, or has a 64-bit number that JavaScript cannot hold
 * exactly.
 */
class UnreadableRequest {}

interface Codec {
  decode(bytes: Uint8Array): unknown;
}

/**
 * The same definition, whose requests are decoded without an error. grpc-js would answer an error there with INTERNAL
 * before any platform code runs.
 */
export function withReadableRequests<D extends { readonly methods: object }>(definition: D): D {
  const methods = Object.entries(definition.methods).map(([key, method]: [string, { requestType: Codec }]) => [
    key,
    { ...method, requestType: { ...method.requestType, decode: decodeOf(method.requestType) } },
  ]);
  return { ...definition, methods: Object.fromEntries(methods) };
}

const decodeOf = (type: Codec) => (bytes: Uint8Array) => {
  try {
    return type.decode(bytes);
  } catch {
    return new UnreadableRequest();
  }
};

/** Throws VALIDATION_FAILED for a request that could not be decoded. */
export function requireReadable(request: unknown): void {
  if (request instanceof UnreadableRequest)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `The request is not a message of its type, or has a number beyond ${Number.MAX_SAFE_INTEGER}.`,
    });
}
