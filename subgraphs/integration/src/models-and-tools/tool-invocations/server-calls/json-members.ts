import { isKeptNumber } from "@factory/runtime/json/kept-numbers";

/** The members in a JSON object about which nothing is known. */
export type Members = Readonly<Record<string, unknown>>;

/** An object's members; undefined for any other value. */
export const membersOf = (value: unknown): Members | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value)
    ? (value as Members)
    : undefined;
