import { compareText } from "../text-order.js";
import type { NugetVersion } from "../versions/version.js";
import type { DependencyGraph, GraphNode } from "./dependency-graph.js";
import type { ListedPackage } from "./listed-package.js";
import { getOrCompute } from "./memoize.js";
import type { PackageMetadata } from "./package-metadata.js";
import { type Release, releaseName } from "./release.js";

/** A package in a restored set: a listed one or a transitive dependency. */
export interface GraphMember<P extends PackageMetadata = PackageMetadata> {
  readonly key: string;
  readonly packageName: string;
  readonly text: string;
  readonly version: NugetVersion | undefined;
  readonly release: Release<P> | undefined;
  readonly direct: boolean;
  /** The releases that bring it in, from a listed one down; empty for a listed package. */
  readonly path: readonly Release<P>[];
}

const membersByGraph = new WeakMap<object, readonly GraphMember[]>();

/** The listed packages and their transitive dependencies, ordered by name. A package listed twice is in it twice. */
export function membersOf<P extends PackageMetadata>(
  packages: readonly ListedPackage<P>[],
  graph: DependencyGraph<P>,
): readonly GraphMember<P>[] {
  return getOrCompute(membersByGraph, graph, () => collect(packages, graph)) as readonly GraphMember<P>[];
}

/** The package name, its version and the path that brought it in, for a sentence. */
export function memberName({ packageName, text, path }: GraphMember): string {
  return `${packageName} ${text}${path.length === 0 ? "" : ` (brought in by ${path.map(releaseName).join(" → ")})`}`;
}

function collect<P extends PackageMetadata>(
  packages: readonly ListedPackage<P>[],
  graph: DependencyGraph<P>,
): GraphMember<P>[] {
  const members: GraphMember<P>[] = packages.map(({ key, packageName, text, version, release }) => ({
    key,
    packageName,
    text,
    version,
    release,
    direct: true,
    path: [],
  }));
  for (const node of graph.nodes.values()) {
    const { release } = node;
    if (node.direct || release === undefined) continue;
    members.push(new TransitiveMember(node, release));
  }
  return members.sort((a, b) => compareText(a.key, b.key));
}

/** Computes its path only when a sentence names it. */
class TransitiveMember<P extends PackageMetadata> implements GraphMember<P> {
  readonly key: string;
  readonly packageName: string;
  readonly text: string;
  readonly version: NugetVersion | undefined;
  readonly release: Release<P>;
  readonly direct = false;
  readonly #node: GraphNode<P>;

  constructor(node: GraphNode<P>, release: Release<P>) {
    this.key = node.key;
    this.packageName = node.packageName;
    this.text = release.text;
    this.version = node.version;
    this.release = release;
    this.#node = node;
  }

  get path(): readonly Release<P>[] {
    return this.#node.path;
  }
}
