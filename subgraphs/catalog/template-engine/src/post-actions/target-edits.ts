import { withProjectInText } from "../solutions/sln-text.js";
import { withProjectInDocument } from "../solutions/slnx-document.js";
import type { SolutionEntry } from "../solutions/solution-entry.js";
import { newSolutionId } from "../solutions/solution-ids.js";
import { type ProjectReference, withReference } from "./project-reference.js";

/** One change to a file of the target: a project in a solution, or a reference in a project. */
export type TargetChange =
  | { readonly kind: "solution"; readonly entry: SolutionEntry; readonly seed: string }
  | { readonly kind: "reference"; readonly reference: ProjectReference };

/** Changes to one existing file of the target. */
export interface TargetEdit {
  /** The path from the root of the target. */
  readonly path: string;
  readonly changes: readonly TargetChange[];
  /** The text of the file with the changes applied. */
  readonly text: string;
}

/** Applies the changes to a text; undefined when it cannot be edited safely. */
export function withChanges(text: string, path: string, changes: readonly TargetChange[]): string | undefined {
  let edited: string | undefined = text;
  for (const change of changes) {
    if (edited === undefined) return undefined;
    edited = change.kind === "reference" ? withReference(edited, change.reference) : withProject(edited, path, change);
  }
  return edited;
}

function withProject(
  text: string,
  solution: string,
  { entry, seed }: { entry: SolutionEntry; seed: string },
): string | undefined {
  if (solution.toLowerCase().endsWith(".slnx")) return withProjectInDocument(text, entry);
  return withProjectInText(text, entry, (folder) => newSolutionId(seed, `${solution}/folder/${folder}`));
}
