/**
 * A semantic version as far as its precedence goes (Semantic Versioning 2.0.0, section 11): a text that precedes another
 * one where its version does, so that a comparison costs little however many identifiers the version has.
 */
export type Semver = string;

const maxVersionLength = 256;
const number = "(?:0|[1-9]\\d*)";
const identifier = `(?:${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const semver = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

/** Undefined for a text that is not a semantic version, also for one with a leading v. */
export function parseSemver(text: string): Semver | undefined {
  const [, major, minor, patch, prerelease] = (text.length <= maxVersionLength && semver.exec(text)) || [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  const core = [major, minor, patch].map(orderedNumber).join("");
  if (prerelease === undefined) return `${core}${release}`;
  return core + before + prerelease.split(".").map(orderedIdentifier).join("");
}

/** The character after the three numbers: a prerelease precedes its release. */
const [before, release] = ["0", "1"];

/** The count of digits, as one character that is never \0, comes first: a number with fewer digits is lower. */
const orderedNumber = (digits: string): string => String.fromCharCode(digits.length) + digits;

/** Numbers precede words. A word ends with \0, so that it precedes the longer ones that begin with it. */
const orderedIdentifier = (text: string): string => (/^\d+$/.test(text) ? `0${orderedNumber(text)}` : `1${text}\0`);

/** Negative if `a` precedes `b`, 0 for equal precedence. */
export const compareSemver = (a: Semver, b: Semver): number => (a === b ? 0 : a < b ? -1 : 1);

const date = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** A date or RFC 3339 point in time as epoch milliseconds; undefined for another text. */
export function parseDate(text: string): number | undefined {
  const time = date.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Undefined for a text that is not a finite decimal number. */
export function parseNumber(text: string): number | undefined {
  const value = /^[ \t]*[+-]?(?:\d|\.\d)/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
