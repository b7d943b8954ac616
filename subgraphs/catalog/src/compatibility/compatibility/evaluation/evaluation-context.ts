import type { DependencyGraph } from "@factory/nuget/dependency-graph";
import type { Framework } from "@factory/nuget/framework";
import { asProject } from "@factory/nuget/framework-compatibility";
import { membersOf } from "@factory/nuget/graph-members";
import { lookUpPackages } from "@factory/nuget/listed-package";
import type { PackageSnapshot } from "@factory/nuget/package-snapshot";
import { dependencyResolution } from "@factory/nuget/resolve-dependencies";
import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";
import type { CatalogLibrary, ListedLibrary, Member } from "./catalog-library.js";
import type { EvaluationInput, TemplateSide } from "./evaluation-input.js";

/** The part of the catalog that one evaluation sees. */
export type CatalogSnapshot = PackageSnapshot<CatalogLibrary>;

/** The set as the rules see it, in a fixed order, so that no answer depends on the order of the request. */
export interface EvaluationContext {
  readonly input: EvaluationInput;
  readonly snapshot: CatalogSnapshot;
  /** The runtime as a project's framework. */
  readonly project: Framework;
  readonly template: TemplateSide | undefined;
  /** The set's libraries. */
  readonly listed: readonly ListedLibrary[];
  readonly graph: DependencyGraph<CatalogLibrary>;
  /** The set's libraries and their transitive dependencies. */
  readonly members: readonly Member[];
}

/** Looks up the set in the snapshot and resolves its dependencies. */
export function* evaluationContext(input: EvaluationInput, snapshot: CatalogSnapshot): PausableWork<EvaluationContext> {
  const project = asProject(input.runtime);
  const listedPackages = lookUpPackages(input.libraries, snapshot);
  yield;
  const graph = yield* dependencyResolution(listedPackages, snapshot.sourceFor(project));
  return {
    input,
    snapshot,
    project,
    template: input.template,
    listed: listedPackages,
    graph,
    get members() {
      return membersOf(listedPackages, graph);
    },
  };
}

/** Resolves without a pause. */
export const createEvaluationContext = (input: EvaluationInput, snapshot: CatalogSnapshot): EvaluationContext =>
  doAtOnce(evaluationContext(input, snapshot));
