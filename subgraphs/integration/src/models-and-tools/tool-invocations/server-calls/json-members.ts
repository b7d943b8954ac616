import { isKeptNumber } from "@factory/runtime/json/kept-numbers";

/** The members of a JSON object of which nothing is known. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of an object; undefined for any other value. */
export const membersOf = (value: unknown): Members | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value)
    ? (value as Members)
    : undefined;
