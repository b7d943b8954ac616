import type { TimeFormat } from "@factory/schema/vocabularies/signatures";
import { type InboundMessage, isTimestamp, singleHeader } from "./inbound-message.js";

const millisecondsForm = /^(?:0|[1-9]\d{0,14})$/;
const iso8601Form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** The time in seconds since 1970; undefined for a text in another format. */
export function secondsOf(text: string, format: TimeFormat = "seconds"): number | undefined {
  if (format === "seconds") return isTimestamp(text) ? Number(text) : undefined;
  if (format === "milliseconds") return millisecondsForm.test(text) ? Number(text) / 1000 : undefined;
  const time = iso8601Form.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time / 1000;
}

/** A time as it was sent, and in seconds since 1970. */
export interface SignedTime {
  readonly text: string;
  readonly seconds: number;
}

/** The time in a header that occurs once; undefined where it has none in the format. */
export function timeInHeader(message: InboundMessage, name: string, format?: TimeFormat): SignedTime | undefined {
  const text = singleHeader(message, name);
  return text === undefined ? undefined : signedTime(text, format);
}

export function signedTime(text: string, format?: TimeFormat): SignedTime | undefined {
  const seconds = secondsOf(text, format);
  return seconds === undefined ? undefined : { text, seconds };
}
