import { mediaRanges } from "@factory/rest-facade/media-ranges";

const events = "text/event-stream";
const json = ["application/graphql-response+json", "application/json"];

/**
 * Whether the header Accept prefers an event stream to JSON. The first type counts where two have the same weight,
 * since clients name all types that they can read (urql).
 */
export function wantsEvents(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(events)) return false;
  const ranges = mediaRanges(accept);
  const place = ranges.findIndex(({ type }) => type === events);
  const wanted = ranges[place];
  if (!wanted || wanted.quality === 0) return false;
  return !ranges.some(
    ({ type, quality }, at) =>
      json.includes(type) && (quality > wanted.quality || (quality === wanted.quality && at < place)),
  );
}
