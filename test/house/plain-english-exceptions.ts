import type { Exception } from "./plain-english.js";

/** Texts that break a pattern for a reason. */
export const exceptions: readonly Exception[] = [];
