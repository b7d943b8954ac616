import { pooledRandomBytes } from "../identifiers/random-bytes.js";

/** W3C Trace Context: one hop in a distributed trace. */
export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeroes = /^0+$/;

/**
 * Continues the caller's trace, or starts a new one when the header is absent or malformed (W3C Trace Context, section
 * 4.3).
 */
export function continueTrace(traceparent: string | undefined): Trace {
  const match = traceparent === undefined ? null : form.exec(traceparent);
  if (match === null) return newTrace();
  const [, version, traceId, parentId, flags, rest] = match;
  const valid =
    version !== undefined &&
    traceId !== undefined &&
    parentId !== undefined &&
    flags !== undefined &&
    version !== "ff" &&
    !(version === "00" && rest !== undefined) &&
    !zeroes.test(traceId) &&
    !zeroes.test(parentId);
  if (!valid) return newTrace();
  const spanId = pooledRandomBytes(8).toString("hex");
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

function newTrace(): Trace {
  const hex = pooledRandomBytes(24).toString("hex");
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32), sampled: true };
}

/** A trace's header `traceparent`. */
export function traceparent(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? "01" : "00"}`;
}

/** The trace ID inside a header that `traceparent` wrote. */
export function traceIdOf(header: string): string {
  return header.slice(3, 35);
}
