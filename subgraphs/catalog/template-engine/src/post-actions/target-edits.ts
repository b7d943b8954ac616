import { withProjectInText } from "../solutions/sln-text.js";
import { withProjectInDocument } from "../solutions/slnx-document.js";
import type { SolutionEntry } from "../solutions/solution-entry.js";
import { newSolutionId } from "../solutions/solution-ids.js";
import { type ProjectReference, withReference } from "./project-reference.js";

/** One change to a target file: a project in a solution, or a reference in a project. */
export type TargetChange =
  | { readonly kind: "solution"; readonly entry: SolutionEntry; readonly seed: string }
  | { readonly kind: "reference"; readonly reference: ProjectReference };

/** Changes to one existing target file. */
export interface TargetEdit {
  /** The path from the target's root. */
  readonly path: string;
  readonly changes: readonly TargetChange[];
  /** The file's text with the changes applied. */
  readonly text: string;
}

/** Applies the changes to a text; undefined when it cannot be edited safely. */
export function withChanges(text: string, path: string, changes: readonly TargetChange[]): string | undefined {
  let result: string | undefined = text;
  for (const change of changes) {
    if (result === undefined) return undefined;
    result = change.kind === "reference" ? withReference(result, change.reference) : withProject(result, path, change);
  }
  return result;
}

function withProject(
  text: string,
  solution: string,
  { entry, seed }: { entry: SolutionEntry; seed: string },
): string | undefined {
  if (solution.toLowerCase().endsWith(".slnx")) return withProjectInDocument(text, entry);
  return withProjectInText(text, entry, (folder) => newSolutionId(seed, `${solution}/folder/${folder}`));
}
