/** A semantic version as far as its precedence goes (Semantic Versioning 2.0.0, section 11). */
export interface Semver {
  readonly core: readonly [bigint, bigint, bigint];
  /** Empty for a release. */
  readonly prerelease: readonly (bigint | string)[];
}

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
  return {
    core: [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease: prerelease?.split(".").map((part) => (/^\d+$/.test(part) ? BigInt(part) : part)) ?? [],
  };
}

/** Negative if `a` precedes `b`, 0 for equal precedence. */
export function compareSemver(a: Semver, b: Semver): number {
  for (const at of [0, 1, 2] as const) if (a.core[at] !== b.core[at]) return a.core[at] < b.core[at] ? -1 : 1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [at, left] of a.prerelease.entries()) {
    const right = b.prerelease[at];
    if (right === undefined) return 1;
    if (left === right) continue;
    // numbers precede words
    if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.prerelease.length - b.prerelease.length;
}

const date = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** Epoch milliseconds of a date or point in time as RFC 3339; undefined for another text. */
export function parseDate(text: string): number | undefined {
  const time = date.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Undefined for a text that is not a finite decimal number. */
export function parseNumber(text: string): number | undefined {
  const value = /^[ \t]*[+-]?(?:\d|\.\d)/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
