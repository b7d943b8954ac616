import { type FourParts, parseParts } from "@factory/nuget/four-parts";
import type { Framework } from "@factory/nuget/framework";
import { compareText } from "@factory/nuget/listed-package";
import type { KnownLibrary, Release, Snapshot } from "@factory/nuget/package-snapshot";
import type { Node } from "@factory/nuget/restore-walk";
import { compareVersions, isPrerelease, type NugetVersion, parseVersion } from "@factory/nuget/version";
import type { Situation } from "../evaluation/evaluation-context.js";
import type { Move } from "../evaluation/evaluation-input.js";
import { add, changeRuntime, changeVersion, replace } from "./move.js";

const mostVersions = 8;
const mostAlternatives = 3;
const mostRuntimes = 4;

/** How far a change of version reaches: smaller is less to test again. */
function distance(from: NugetVersion, to: NugetVersion): readonly number[] {
  const up = compareVersions(from, to) < 0;
  const jumps: number[] = [];
  let changed = false;
  for (const [index, part] of to.parts.entries()) {
    // behind the first part that differs, near means low on the way up and high on the way down
    jumps.push(changed ? (up ? part : -part) : Math.abs(part - (from.parts[index] ?? 0)));
    changed ||= part !== from.parts[index];
  }
  const [major = 0, minor = 0, ...rest] = jumps;
  return [major, isPrerelease(to) ? 1 : 0, minor, ...rest];
}

export function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0);
  return 0;
}

/** Published releases that the project can use and that pass the test, the nearest to `from` first. */
export function releasesNear(
  situation: Situation,
  library: KnownLibrary,
  { from, test }: { from: NugetVersion; test?: (release: Release) => boolean },
): Release[] {
  return library.releases
    .filter((release) => isOffered(situation, release) && (test?.(release) ?? true))
    .toReversed()
    .sort((a, b) => compareLists(distance(from, a.version), distance(from, b.version)))
    .slice(0, mostVersions);
}

function isOffered({ snapshot, project }: Situation, release: Release): boolean {
  return release.status === "Published" && snapshot.supports(release, project);
}

/** Moves a package to other releases: in the set by changing its entry, behind it by listing it. */
export function moveTo({ direct, release }: Pick<Node, "direct" | "release">, releases: readonly Release[]): Move[] {
  return releases
    .filter((next) => next !== release)
    .map(({ library, text }) =>
      direct ? changeVersion(library.packageName, [release?.text ?? null, text]) : add(library.packageName, text),
    );
}

/** Moves of different packages, the smallest jump first. */
export function smallestFirst(moves: readonly Move[]): Move[] {
  return moves.toSorted((a, b) => compareLists(jumpOf(a), jumpOf(b)));
}

function jumpOf({ fromVersion, toVersion }: Move): readonly number[] {
  const [from, to] = [parseVersion(fromVersion ?? ""), parseVersion(toVersion ?? "")];
  return from && to ? distance(from, to) : [0, 0, 0, 0, 0];
}

/** Puts a library that offers one of the same capabilities in the place of this one. */
export function alternatives(situation: Situation, library: KnownLibrary, from: string): Move[] {
  return offering(situation, (other) => sharesCapability(library, other)).map((release) =>
    replace(library.packageName, release.library.packageName, [from, release.text]),
  );
}

/** The newest usable release of each library that passes the test and is not listed. */
export function offering(situation: Situation, test: (library: KnownLibrary) => boolean): Release[] {
  const listed = new Set(situation.entries.map(({ key }) => key));
  return situation.snapshot
    .libraries()
    .filter((library) => !listed.has(library.key) && test(library))
    .flatMap((library) => newest(situation, library) ?? [])
    .slice(0, mostAlternatives);
}

function newest(situation: Situation, { releases }: KnownLibrary): Release | undefined {
  const offered = releases.filter((release) => isOffered(situation, release));
  return offered.findLast(({ version }) => !isPrerelease(version)) ?? offered.at(-1);
}

function sharesCapability(a: KnownLibrary, b: KnownLibrary): boolean {
  return a.capabilities.some((mine) =>
    b.capabilities.some(
      (theirs) =>
        mine.name.toLowerCase() === theirs.name.toLowerCase() ||
        (mine.contract !== null && mine.contract.toLowerCase() === theirs.contract?.toLowerCase()),
    ),
  );
}

const runtimes = ["4.6.2", "4.7.2", "4.8", "3.1", "5.0", "6.0", "7.0", "8.0", "9.0", "10.0"].map(runtimeOf);

/** Runtimes that could use the release: the own family first, then the lowest. */
export function runtimesFor({ project, snapshot }: Situation, release: Release): Move[] {
  const usable = [...runtimes, ...ownTargets(snapshot, release)]
    .map((runtime) => onPlatformOf(project, runtime))
    .filter((runtime) => snapshot.supports(release, runtime));
  return movesTo(usable.sort((a, b) => rank(project, a) - rank(project, b) || compareLists(a.version, b.version)));
}

/** Runtimes of the project's family that pass the test, the newest first. */
export function runtimesWhere({ project }: Situation, test: (runtime: Framework) => boolean): Move[] {
  const fitting = runtimes
    .filter(({ identifier }) => identifier === project.identifier)
    .map((runtime) => onPlatformOf(project, runtime))
    .filter(test);
  return movesTo(fitting.sort((a, b) => compareLists(b.version, a.version)));
}

function movesTo(frameworks: readonly Framework[]): Move[] {
  return frameworks
    .map(changeRuntime)
    .filter((move, index, all) => all.findIndex(({ runtime }) => runtime === move.runtime) === index)
    .slice(0, mostRuntimes);
}

function ownTargets(snapshot: Snapshot, release: Release): Framework[] {
  return snapshot.frameworksOf(release).filter(({ identifier }) => identifier !== ".NETStandard");
}

function rank(project: Framework, runtime: Framework): number {
  return Math.abs(compareText(project.identifier, runtime.identifier));
}

function onPlatformOf(project: Framework, runtime: Framework): Framework {
  const fits = runtime.identifier === ".NETCoreApp" && runtime.version[0] >= 5 && runtime.platform === "";
  return fits ? { ...runtime, platform: project.platform, platformVersion: project.platformVersion } : runtime;
}

function runtimeOf(number: string): Framework {
  const version: FourParts = parseParts(number) ?? [0, 0, 0, 0];
  const identifier = version[0] === 4 ? ".NETFramework" : ".NETCoreApp";
  return { identifier, version, profile: "", platform: "", platformVersion: [0, 0, 0, 0] };
}
