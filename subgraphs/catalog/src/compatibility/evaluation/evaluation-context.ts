import type { Framework } from "@factory/nuget/framework";
import { asProject } from "@factory/nuget/framework-compatibility";
import { type Entry, entriesOf } from "@factory/nuget/listed-package";
import type { Snapshot } from "@factory/nuget/package-snapshot";
import { type Graph, walk } from "@factory/nuget/restore-walk";
import type { RuleName } from "../rules/rule-names.js";
import type { EvaluationInput, Move, TemplateSide } from "./evaluation-input.js";

/** A set as the rules look at it: sorted, so that nothing depends on the order of the request. */
export interface Situation {
  readonly input: EvaluationInput;
  readonly snapshot: Snapshot;
  readonly project: Framework;
  readonly template: TemplateSide | undefined;
  readonly entries: readonly Entry[];
  readonly graph: Graph;
}

/** A broken rule, and the changes that may mend it: groups of moves, the preferred group first. */
export interface Finding {
  readonly rule: RuleName;
  /** The listed version or the pair it is about; a finding about the same subject is the same finding in another set. */
  readonly subject: string;
  readonly packageName: string;
  readonly detail: string;
  readonly moves: () => Move[][];
}

export function situationOf(input: EvaluationInput, snapshot: Snapshot): Situation {
  const project = asProject(input.runtime);
  const entries = entriesOf(input, snapshot);
  const graph = walk(entries, {
    snapshot,
    isSupported: (release) => snapshot.supports(release, project),
    dependenciesOf: (release) => snapshot.dependenciesOf(release, project),
  });
  return { input, snapshot, project, template: input.template, entries, graph };
}
