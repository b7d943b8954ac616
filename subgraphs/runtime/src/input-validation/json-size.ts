import { DomainError } from "../errors/domain-error.js";

/** How much a JSON document holds, counted in its text before anything is built from it. */
export interface JsonSize {
  /** The members in all objects. */
  readonly members: number;
  /** Members, list items, objects and lists; about as many as the document has values. */
  readonly values: number;
}

/** Parsing cannot pause, and a member with its own name takes about a microsecond. */
export const requestJsonLimit: JsonSize = { members: 20_000, values: 50_000 };

/** A vendor cannot send less, so a delivery may be about as large as a list with 2,000 commits in a push. */
export const deliveryJsonLimit: JsonSize = { members: 40_000, values: 100_000 };

/** Throws PAYLOAD_TOO_LARGE when the document has more members or values than the limit. */
export function requireJsonSize(size: JsonSize, limit: JsonSize): void {
  const part = size.members > limit.members ? "members" : size.values > limit.values ? "values" : undefined;
  if (part === undefined) return;
  const detail = `Must have at most ${limit[part].toLocaleString("en")} ${part} in the whole JSON document.`;
  throw new DomainError("PAYLOAD_TOO_LARGE", {
    detail: `The body has too many ${part}. Send the data in several requests.`,
    errors: [{ pointer: "", code: "TOO_LONG", detail }],
  });
}
