import { type FourParts, parseParts } from "@factory/nuget/four-parts";
import type { Framework } from "@factory/nuget/framework";
import { compareText } from "@factory/nuget/text-order";
import { isPrerelease, type NugetVersion, parseVersion } from "@factory/nuget/version";
import type { KnownLibrary, Node, Release } from "../evaluation/catalog-library.js";
import type { CatalogSnapshot, EvaluationContext } from "../evaluation/evaluation-context.js";
import { add, changeRuntime, changeVersion, type Move, replace } from "./move.js";
import { compareLists, versionDistance } from "./version-distance.js";

const maxVersions = 8;
const maxAlternatives = 3;
const maxRuntimes = 4;

/** Finds Published releases that the project can use and that pass the test, the nearest to `from` first. */
export function findNearReleases(
  context: EvaluationContext,
  library: KnownLibrary,
  { from, test }: { from: NugetVersion; test?: (release: Release) => boolean },
): Release[] {
  return library.releases
    .filter((release) => isOffered(context, release) && (test?.(release) ?? true))
    .toReversed()
    .sort((a, b) => compareLists(versionDistance(from, a.version), versionDistance(from, b.version)))
    .slice(0, maxVersions);
}

function isOffered({ snapshot, project }: EvaluationContext, release: Release): boolean {
  return release.status === "Published" && snapshot.supports(release, project);
}

/** Moves that bring a package to other releases: a listed package changes its version, a transitive one is added to the set. */
export function movesToReleases(
  { direct, release }: Pick<Node, "direct" | "release">,
  releases: readonly Release[],
): Move[] {
  return releases
    .filter((next) => next !== release)
    .map(({ library, text }) =>
      direct ? changeVersion(library.packageName, [release?.text ?? null, text]) : add(library.packageName, text),
    );
}

/** Moves for different packages, the smallest jump first. */
export function sortBySmallestJump(moves: readonly Move[]): Move[] {
  return moves.toSorted((a, b) => compareLists(jumpOf(a), jumpOf(b)));
}

function jumpOf({ fromVersion, toVersion }: Move): readonly number[] {
  const [from, to] = [parseVersion(fromVersion ?? ""), parseVersion(toVersion ?? "")];
  return from && to ? versionDistance(from, to) : [0, 0, 0, 0, 0];
}

/** Moves that replace a library with another that offers one of the same capabilities. */
export function findAlternatives(context: EvaluationContext, library: KnownLibrary, from: string): Move[] {
  return findReleasesOf(context, (other) => sharesCapability(library, other)).map((release) =>
    replace(library.packageName, release.library.packageName, [from, release.text]),
  );
}

/** Finds each library's newest usable release that passes the test and is not listed. */
export function findReleasesOf(context: EvaluationContext, test: (library: KnownLibrary) => boolean): Release[] {
  const listedKeys = new Set(context.listed.map(({ key }) => key));
  return context.snapshot
    .libraries()
    .filter((library) => !listedKeys.has(library.key) && test(library))
    .flatMap((library) => newest(context, library) ?? [])
    .slice(0, maxAlternatives);
}

function newest(context: EvaluationContext, { releases }: KnownLibrary): Release | undefined {
  const offeredReleases = releases.filter((release) => isOffered(context, release));
  return offeredReleases.findLast(({ version }) => !isPrerelease(version)) ?? offeredReleases.at(-1);
}

function sharesCapability(a: KnownLibrary, b: KnownLibrary): boolean {
  return a.registered.capabilities.some((mine) =>
    b.registered.capabilities.some(
      (theirs) =>
        mine.name.toLowerCase() === theirs.name.toLowerCase() ||
        (mine.contract !== null && mine.contract.toLowerCase() === theirs.contract?.toLowerCase()),
    ),
  );
}

const runtimes = ["4.6.2", "4.7.2", "4.8", "3.1", "5.0", "6.0", "7.0", "8.0", "9.0", "10.0"].map(runtimeOf);

/** Moves to runtimes that can use the release: first those in the same family, then the lowest. */
export function findRuntimesFor({ project, snapshot }: EvaluationContext, release: Release): Move[] {
  const usable = [...runtimes, ...ownTargets(snapshot, release)]
    .map((runtime) => onPlatformOf(project, runtime))
    .filter((runtime) => snapshot.supports(release, runtime));
  return movesTo(usable.sort((a, b) => rank(project, a) - rank(project, b) || compareLists(a.version, b.version)));
}

/** Moves to runtimes in the project's family that pass the test, the newest first. */
export function findRuntimesWhere({ project }: EvaluationContext, test: (runtime: Framework) => boolean): Move[] {
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
    .slice(0, maxRuntimes);
}

function ownTargets(snapshot: CatalogSnapshot, release: Release): Framework[] {
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
