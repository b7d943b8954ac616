/** A received delivery, before anything in it is trusted. */
export interface InboundMessage {
  /** All values for each header, by its name in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The bytes as they were sent, or as they were before they were compressed. */
  readonly body: Buffer;
  /** The compressed bytes when a body was sent compressed. */
  readonly sentBody?: Buffer;
  /** The URL that the sender called, with its query. */
  readonly url: string;
}

const maxHeaderLength = 8_192;

/** The header's value where it occurs once; undefined otherwise, since a second value could be the one that is used. */
export function singleHeader({ headers }: InboundMessage, name: string): string | undefined {
  const values = headers.get(name);
  const value = values?.[0];
  return values?.length === 1 && value !== undefined && value.length <= maxHeaderLength ? value : undefined;
}

const timestampForm = /^(?:0|[1-9]\d{0,11})$/;
const toleranceSeconds = 300;

/** Whether the text is a time in whole seconds since 1970, in digits only. */
export const isTimestamp = (text: string): boolean => timestampForm.test(text);

/** Whether a time in seconds since 1970 is at most 300 s from now, in both directions. */
export const isRecent = (seconds: number, now: Date): boolean =>
  Math.abs(now.getTime() / 1_000 - seconds) <= toleranceSeconds;
