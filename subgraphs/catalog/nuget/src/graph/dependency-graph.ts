import type { NugetVersion } from "../versions/version.js";
import type { VersionRange } from "../versions/version-range.js";
import type { PackageMetadata } from "./package-metadata.js";
import type { Dependency, KnownLibrary, Release } from "./release.js";

/** A package in the graph: listed by the project, or brought in as a transitive dependency. */
export interface GraphNode<P extends PackageMetadata = PackageMetadata> {
  readonly key: string;
  readonly packageName: string;
  /** Whether the project lists it. */
  readonly direct: boolean;
  readonly version: NugetVersion | undefined;
  readonly release: Release<P> | undefined;
  /** The releases from a listed one down to the one that depends on this package. */
  readonly path: readonly Release<P>[];
}

/** A dependency of a release in the graph. */
export interface DependencyEdge<P extends PackageMetadata = PackageMetadata> extends Dependency {
  readonly from: Release<P>;
  /** The releases from a listed one down to `from`. */
  readonly path: readonly Release<P>[];
}

/** A dependency that a restore ignores, because on every path to it a nearer release depends on the same package. */
export interface EclipsedDependency<P extends PackageMetadata = PackageMetadata> {
  readonly edge: DependencyEdge<P>;
  readonly by: Release<P>;
}

/** The packages that a restore takes for listed packages. All maps are by package name in lower case. */
export interface DependencyGraph<P extends PackageMetadata = PackageMetadata> {
  readonly nodes: ReadonlyMap<string, GraphNode<P>>;
  readonly edges: readonly DependencyEdge<P>[];
  /** Packages for which no version is in all ranges, although each range alone has one. */
  readonly conflicts: ReadonlyMap<string, readonly DependencyEdge<P>[]>;
  /** Edges to a known package that has no version in the range. */
  readonly unsatisfied: readonly DependencyEdge<P>[];
  /** Edges to packages that the source does not know, or knows without versions. */
  readonly unknown: readonly DependencyEdge<P>[];
  readonly eclipsed: readonly EclipsedDependency<P>[];
  /** Packages whose version still changed when the resolution was given up; empty when it settled. */
  readonly unsettled: readonly string[];
  readonly rounds: number;
}

/** Where a restore finds releases and their dependencies in one project; see `PackageSnapshot.sourceFor`. */
export interface DependencySource<P extends PackageMetadata = PackageMetadata> {
  readonly library: (key: string) => KnownLibrary<P> | undefined;
  readonly lowestIn: (library: KnownLibrary<P>, range: VersionRange) => Release<P> | undefined;
  readonly lowest: (library: KnownLibrary<P>, ranges: readonly VersionRange[]) => Release<P> | undefined;
  readonly isSupported: (release: Release<P>) => boolean;
  readonly dependenciesOf: (release: Release<P>) => readonly Dependency[];
}
