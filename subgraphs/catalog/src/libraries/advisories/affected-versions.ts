import { compareVersions, formatVersion, type NugetVersion, parseVersion } from "@factory/nuget/version";
import type { PausableWork } from "@factory/runtime/threads/long-work";

/** An event in an OSV range: one member is set. */
export interface OsvEvent {
  readonly introduced?: string;
  readonly fixed?: string;
  readonly last_affected?: string;
  readonly limit?: string;
}

/** Affected versions between two bounds, as they are stored. Null: no bound. */
export interface AffectedInterval {
  readonly from: string | null;
  readonly to: string | null;
  /** Whether `to` itself is affected. */
  readonly inclusive: boolean;
}

/** A package's affected versions. */
export interface AffectedVersions {
  /** Ordered and without overlaps. */
  readonly intervals: readonly AffectedInterval[];
  /** Single versions outside the intervals, normalized and in lower case. */
  readonly versions: readonly string[];
}

interface Interval {
  readonly from: NugetVersion | undefined;
  to: NugetVersion | undefined;
  inclusive: boolean;
}

interface Turn {
  readonly version: NugetVersion | undefined;
  readonly kind: "introduced" | "fixed" | "lastAffected";
}

/** An event's version that is not a NuGet version. */
export class UnreadableVersion extends Error {
  override readonly name = "UnreadableVersion";
}

/** So many versions are parsed between two pauses. */
const versionsInStep = 100;

/**
 * Collects the OSV ranges and versions that affect one package, and converts them once to ordered intervals
 * (ossf.github.io/osv-schema, "Evaluation").
 */
export class VersionCollection {
  readonly #intervals: Interval[] = [];
  readonly #listed: string[] = [];

  /** Adds a range, whose events may come in any order. Throws UnreadableVersion. */
  addRange(events: readonly OsvEvent[]): void {
    for (const interval of intervalsOf(events)) this.#intervals.push(interval);
  }

  addVersions(versions: readonly string[]): void {
    for (const text of versions) this.#listed.push(text);
  }

  *affected(): PausableWork<AffectedVersions> {
    const intervals = joined(this.#intervals);
    const storedIntervals = intervals.map(({ from, to, inclusive }) => ({
      from: from === undefined ? null : formatVersion(from),
      to: to === undefined ? null : formatVersion(to),
      inclusive,
    }));
    const versions = new Set<string>();
    for (const [index, text] of this.#listed.entries()) {
      if (index % versionsInStep === 0) yield;
      const version = parseVersion(text);
      // a version that NuGet cannot read belongs to no package
      if (version !== undefined && !isWithin(intervals, version)) versions.add(formatVersion(version).toLowerCase());
    }
    return { intervals: storedIntervals, versions: [...versions] };
  }
}

/** Whether the version is affected. */
export function isAffected(affectedVersions: AffectedVersions, version: NugetVersion): boolean {
  return new AffectedTest(affectedVersions).includes(version);
}

/** Compares many versions with one package's affected versions. Each text is parsed once. */
export class AffectedTest {
  /** The most comparisons that one version takes. */
  readonly cost: number;
  readonly #intervals: readonly Interval[];
  readonly #versions: ReadonlySet<string>;

  constructor({ intervals, versions }: AffectedVersions) {
    this.#intervals = intervals.map((interval) => parsedInterval(interval));
    this.#versions = new Set(versions);
    this.cost = 1 + intervals.length;
  }

  includes(version: NugetVersion): boolean {
    return this.#versions.has(formatVersion(version).toLowerCase()) || isWithin(this.#intervals, version);
  }

  /** Whether one interval holds the whole other one. */
  includesInterval(interval: AffectedInterval): boolean {
    const narrow = parsedInterval(interval);
    const wide = lastBeginning(this.#intervals, narrow.from);
    return wide !== undefined && compareHigh(wide, narrow) >= 0;
  }
}

/**
 * Whether everything that `narrow` affects is affected by `wide`, too. An interval must lie in one of `wide`'s
 * intervals.
 */
export function covers(wide: AffectedVersions, narrow: AffectedVersions): boolean {
  const test = new AffectedTest(wide);
  return (
    narrow.intervals.every((interval) => test.includesInterval(interval)) &&
    narrow.versions.every((text) => {
      const version = parseVersion(text);
      return version === undefined || test.includes(version);
    })
  );
}

/** The lowest versions that are not affected any more, above each interval. */
export function fixedVersions({ intervals }: AffectedVersions): string[] {
  return intervals.flatMap(({ to, inclusive }) => (to === null || inclusive ? [] : [to]));
}

function intervalsOf(events: readonly OsvEvent[]): Interval[] {
  const turns: Turn[] = [];
  let limit: NugetVersion | undefined;
  let isLimited = false;
  for (const { introduced, fixed, last_affected: lastAffected, limit: most } of events) {
    // "0" sorts before every version, also before 0.0.0-alpha
    if (introduced !== undefined)
      turns.push({ kind: "introduced", version: introduced === "0" ? undefined : readable(introduced) });
    if (fixed !== undefined) turns.push({ kind: "fixed", version: readable(fixed) });
    if (lastAffected !== undefined) turns.push({ kind: "lastAffected", version: readable(lastAffected) });
    if (most === undefined) continue;
    const highest = most === "*" ? undefined : readable(most);
    limit = isLimited ? higher(limit, highest) : highest;
    isLimited = true;
  }
  const intervals: Interval[] = [];
  let open: Interval | undefined;
  for (const { kind, version } of turns.sort(byVersion)) {
    if (kind === "introduced") {
      open ??= { from: version, to: undefined, inclusive: false };
      continue;
    }
    if (open === undefined) continue;
    open.to = version;
    open.inclusive = kind === "lastAffected";
    intervals.push(open);
    open = undefined;
  }
  if (open !== undefined) intervals.push(open);
  return intervals.flatMap((interval) => clipped(interval, limit));
}

function clipped(interval: Interval, limit: NugetVersion | undefined): Interval[] {
  if (limit === undefined) return [interval];
  if (interval.from !== undefined && compareVersions(interval.from, limit) >= 0) return [];
  const isLower = interval.to !== undefined && compareVersions(interval.to, limit) < 0;
  return [isLower ? interval : { from: interval.from, to: limit, inclusive: false }];
}

function joined(intervals: Interval[]): Interval[] {
  const sortedIntervals = intervals.sort((a, b) => compareLow(a.from, b.from));
  const result: Interval[] = [];
  for (const interval of sortedIntervals) {
    const last = result.at(-1);
    if (last === undefined || isGap(last, interval)) {
      result.push({ ...interval });
      continue;
    }
    const order = compareHigh(last, interval);
    if (order < 0) {
      last.to = interval.to;
      last.inclusive = interval.inclusive;
    }
  }
  return result;
}

/** Whether versions lie between the two intervals, or may lie there. */
function isGap(last: Interval, next: Interval): boolean {
  if (last.to === undefined || next.from === undefined) return false;
  return compareVersions(last.to, next.from) < 0;
}

function compareLow(a: NugetVersion | undefined, b: NugetVersion | undefined): number {
  if (a === undefined || b === undefined) return Number(b === undefined) - Number(a === undefined);
  return compareVersions(a, b);
}

function compareHigh(a: Interval, b: Interval): number {
  if (a.to === undefined || b.to === undefined) return Number(a.to === undefined) - Number(b.to === undefined);
  return compareVersions(a.to, b.to) || Number(a.inclusive) - Number(b.inclusive);
}

/** The order of events at one version: a range that begins where another ends affects the version. */
const orderAtVersion = { fixed: 0, introduced: 1, lastAffected: 2 } as const;

function byVersion(a: Turn, b: Turn): number {
  return compareLow(a.version, b.version) || orderAtVersion[a.kind] - orderAtVersion[b.kind];
}

function isWithin(intervals: readonly Interval[], version: NugetVersion): boolean {
  const candidate = lastBeginning(intervals, version);
  return candidate !== undefined && contains(candidate, version);
}

/** The last interval that begins at or before `low`. */
function lastBeginning(intervals: readonly Interval[], low: NugetVersion | undefined): Interval | undefined {
  let [first, end] = [0, intervals.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (compareLow(intervals[middle]?.from, low) <= 0) first = middle + 1;
    else end = middle;
  }
  return intervals[first - 1];
}

function contains({ from, to, inclusive }: Interval, version: NugetVersion): boolean {
  if (from !== undefined && compareVersions(version, from) < 0) return false;
  if (to === undefined) return true;
  const order = compareVersions(version, to);
  return inclusive ? order <= 0 : order < 0;
}

function higher(a: NugetVersion | undefined, b: NugetVersion | undefined): NugetVersion | undefined {
  if (a === undefined || b === undefined) return undefined;
  return compareVersions(a, b) > 0 ? a : b;
}

function parsedInterval({ from, to, inclusive }: AffectedInterval): Interval {
  return { from: bound(from), to: bound(to), inclusive };
}

function bound(text: string | null): NugetVersion | undefined {
  return text === null ? undefined : parseVersion(text);
}

function readable(text: string): NugetVersion {
  const version = parseVersion(text);
  if (version === undefined) throw new UnreadableVersion(text);
  return version;
}
