import type { DependencyGraph } from "@factory/nuget/dependency-graph";
import type { Framework } from "@factory/nuget/framework";
import { asProject } from "@factory/nuget/framework-compatibility";
import { membersOf } from "@factory/nuget/graph-members";
import { lookUpPackages } from "@factory/nuget/listed-package";
import type { PackageSnapshot } from "@factory/nuget/package-snapshot";
import { resolveDependencies } from "@factory/nuget/resolve-dependencies";
import type { CatalogLibrary, ListedLibrary, Member } from "./catalog-library.js";
import type { EvaluationInput, TemplateSide } from "./evaluation-input.js";

/** The part of the catalog that one evaluation sees. */
export type CatalogSnapshot = PackageSnapshot<CatalogLibrary>;

/** The set as the rules see it, in a fixed order, so that no answer depends on the order of the request. */
export interface EvaluationContext {
  readonly input: EvaluationInput;
  readonly snapshot: CatalogSnapshot;
  /** The runtime as the framework of a project. */
  readonly project: Framework;
  readonly template: TemplateSide | undefined;
  /** The libraries of the set. */
  readonly listed: readonly ListedLibrary[];
  readonly graph: DependencyGraph<CatalogLibrary>;
  /** The libraries of the set and their transitive dependencies. */
  readonly members: readonly Member[];
}

/** Looks up the set in the snapshot and resolves its dependencies. */
export function createEvaluationContext(input: EvaluationInput, snapshot: CatalogSnapshot): EvaluationContext {
  const project = asProject(input.runtime);
  const listed = lookUpPackages(input.libraries, snapshot);
  const graph = resolveDependencies(listed, snapshot.sourceFor(project));
  return {
    input,
    snapshot,
    project,
    template: input.template,
    listed,
    graph,
    get members() {
      return membersOf(listed, graph);
    },
  };
}
