import type { DependencyEdge, DependencyGraph } from "@factory/nuget/dependency-graph";
import { type Framework, frameworkName, parseFramework } from "@factory/nuget/framework";
import { asProject } from "@factory/nuget/framework-compatibility";
import { lookUpPackages } from "@factory/nuget/listed-package";
import type { PackageIdentity } from "@factory/nuget/package-metadata";
import { PackageSnapshot } from "@factory/nuget/package-snapshot";
import { resolveDependencies } from "@factory/nuget/resolve-dependencies";
import { compareVersions, parseVersion } from "@factory/nuget/version";
import { parseRange } from "@factory/nuget/version-range";
import type { CatalogLibrary } from "../../compatibility/evaluation/catalog-library.js";
import { scanLimits } from "../limits/scan-limits.js";
import type { PackageReference, ReferencingProject } from "../references/project-references.js";
import { PackageCollection, type ResolvedPackages } from "./package-collection.js";

/** Everything that a resolution depends on. It must be structured-cloneable. */
export interface ResolutionInput {
  readonly projects: readonly ReferencingProject[];
  /** By package name in lower case: the references, and everything that their versions depend on. */
  readonly catalog: ReadonlyMap<string, CatalogLibrary>;
}

type Snapshot = PackageSnapshot<CatalogLibrary>;

/** A reference with the version that a restore takes for it, or none where the catalog cannot tell. */
interface ChosenReference {
  readonly reference: PackageReference;
  readonly version: string | undefined;
}

const maxPinRounds = 20;

/** Resolves each project's references for each of its frameworks, as a restore does, and joins the results. */
export function resolvePackages({ projects, catalog }: ResolutionInput): ResolvedPackages {
  const snapshot = new PackageSnapshot(catalog);
  const collection = new PackageCollection();
  let resolutionsLeft: number = scanLimits.resolutions;
  for (const project of projects)
    for (const moniker of project.frameworks) {
      resolutionsLeft -= 1;
      if (resolutionsLeft < 0) collection.limits.add("Projects");
      else addProject(collection, snapshot, { project, moniker });
    }
  return collection.result();
}

function addProject(
  collection: PackageCollection,
  snapshot: Snapshot,
  { project, moniker }: { project: ReferencingProject; moniker: string },
): void {
  const framework = parseFramework(moniker);
  if (framework === undefined) return;
  const name = frameworkName(framework);
  const choices = project.references.map((reference) => choose(snapshot, reference));
  for (const { reference, version } of choices)
    if (version === undefined) collection.addUnknown({ ...reference, direct: true, framework: name });
  const direct = choices.flatMap(({ reference: { packageName }, version }) =>
    version === undefined ? [] : [{ packageName, version }],
  );
  const { graph, pinned } = resolvedWithPins(snapshot, { project, direct, framework });
  const directKeys = new Set(direct.map(({ packageName }) => packageName.toLowerCase()));
  addGraph(collection, { snapshot, graph, name, listed: [...direct, ...pinned], directKeys });
}

/** Central package management can give versions to transitive packages too. Each may bring in further ones. */
function resolvedWithPins(
  snapshot: Snapshot,
  {
    project,
    direct,
    framework,
  }: { project: ReferencingProject; direct: readonly PackageIdentity[]; framework: Framework },
): { graph: DependencyGraph<CatalogLibrary>; pinned: PackageIdentity[] } {
  const source = snapshot.sourceFor(asProject(framework));
  const pins = new Map(project.pins.map((pin) => [pin.packageName.toLowerCase(), choose(snapshot, pin)]));
  const listedKeys = new Set(direct.map(({ packageName }) => packageName.toLowerCase()));
  const pinnedPackages: PackageIdentity[] = [];
  for (let round = 0; ; round += 1) {
    const graph = resolveDependencies(lookUpPackages([...direct, ...pinnedPackages], snapshot), source);
    const reachedKeys = new Set(graph.edges.map(({ key }) => key));
    const addedPackages = [...pins].flatMap(([key, { reference, version }]) =>
      version !== undefined && reachedKeys.has(key) && !listedKeys.has(key)
        ? [{ packageName: reference.packageName, version }]
        : [],
    );
    if (addedPackages.length === 0 || round === maxPinRounds) return { graph, pinned: pinnedPackages };
    for (const addedPackage of addedPackages) {
      listedKeys.add(addedPackage.packageName.toLowerCase());
      pinnedPackages.push(addedPackage);
    }
  }
}

interface GraphOfProject {
  readonly snapshot: Snapshot;
  readonly graph: DependencyGraph<CatalogLibrary>;
  readonly name: string;
  readonly listed: readonly PackageIdentity[];
  readonly directKeys: ReadonlySet<string>;
}

function addGraph(collection: PackageCollection, { snapshot, graph, name, listed, directKeys }: GraphOfProject): void {
  const depths = depthsOf(graph, listed);
  const refs = new Map<string, string>();
  for (const { key, packageName, text, release } of lookUpPackages(listed, snapshot)) {
    const foundPackage = { packageName, version: text, release, direct: directKeys.has(key), framework: name };
    const ref = collection.addVersion(foundPackage);
    if (ref !== undefined && !refs.has(key)) refs.set(key, ref);
  }
  for (const { key, packageName, release } of graph.nodes.values()) {
    if (refs.has(key) || release === undefined) continue;
    if ((depths.get(key) ?? 0) > scanLimits.depth) {
      collection.limits.add("Depth");
      continue;
    }
    const ref = collection.addVersion({ packageName, version: release.text, release, direct: false, framework: name });
    if (ref !== undefined) refs.set(key, ref);
  }
  for (const edge of graph.edges) addEdge(collection, { graph, edge, refs, name });
}

interface EdgeOfProject {
  readonly graph: DependencyGraph<CatalogLibrary>;
  readonly edge: DependencyEdge<CatalogLibrary>;
  readonly refs: ReadonlyMap<string, string>;
  readonly name: string;
}

function addEdge(collection: PackageCollection, { graph, edge, refs, name }: EdgeOfProject): void {
  const { from, key, packageName, range } = edge;
  const start = refs.get(from.library.key);
  // an edge from a replaced version is not in the result
  if (start === undefined || graph.nodes.get(from.library.key)?.release !== from) return;
  const isCut = graph.nodes.get(key)?.release !== undefined && !refs.has(key);
  if (isCut) return;
  const end =
    refs.get(key) ?? collection.addUnknown({ packageName, requested: range.text, direct: false, framework: name });
  if (end !== undefined) collection.connect(start, end);
}

/** The number of steps from the project to each package. */
function depthsOf(
  graph: DependencyGraph<CatalogLibrary>,
  listedPackages: readonly PackageIdentity[],
): ReadonlyMap<string, number> {
  const next = new Map<string, string[]>();
  for (const { from, key } of graph.edges) {
    const dependents = next.get(from.library.key);
    if (dependents === undefined) next.set(from.library.key, [key]);
    else dependents.push(key);
  }
  const depths = new Map(listedPackages.map(({ packageName }) => [packageName.toLowerCase(), 1]));
  for (const [key, depth] of depths)
    for (const need of next.get(key) ?? []) if (!depths.has(need)) depths.set(need, depth + 1);
  return depths;
}

/** The version that a restore takes: the stated one, or the best match for a range in the catalog. */
function choose(snapshot: Snapshot, reference: PackageReference): ChosenReference {
  const { packageName, requested } = reference;
  const library = snapshot.library(packageName.toLowerCase());
  if (requested === null) return { reference, version: undefined };
  if (parseVersion(requested) !== undefined) return { reference, version: requested };
  const range = parseRange(requested);
  if (range === undefined) return { reference, version: undefined };
  const { min, max, minInclusive, maxInclusive } = range;
  const single = min && max && minInclusive && maxInclusive && compareVersions(min, max) === 0;
  if (single) return { reference, version: requested.trim().slice(1, -1).split(",")[0]?.trim() };
  return { reference, version: library && snapshot.lowestIn(library, range)?.text };
}
