import type { Variables } from "../conditions/symbol-value.js";
import type { PostAction } from "../configuration/template-config.js";
import type { TreeFile } from "../files/file-tree.js";
import type { RenderReport } from "../findings/render-report.js";
import type { TargetFiles } from "../target/target-files.js";
import { type TargetChange, type TargetEdit, withChanges } from "./target-edits.js";

export interface PostActionContext {
  files: Map<string, TreeFile>;
  /** Each file's template path, as `./folder/file`. */
  origins: ReadonlyMap<string, string>;
  primaryOutputs: readonly string[];
  seed: string;
  variables: Variables;
  report: RenderReport;
  rename: (path: string) => string;
  target: TargetFiles;
  /** Changes to the target's existing files, by path. */
  edits: Map<string, TargetEdit>;
}

// limits against hostile templates: each change reads a whole file and may be repeated on a newer version
const maxTargetChanges = 100;
const maxEditedCharacters = 8 * 1024 * 1024;

/** Adds changes to a target file; false when the file cannot be edited safely. */
export function changeTarget({ target, edits }: PostActionContext, path: string, changes: TargetChange[]): boolean {
  const earlier = edits.get(path);
  const count = [...edits.values()].reduce((sum, edit) => sum + edit.changes.length, 0);
  if (count + changes.length > maxTargetChanges) return false;
  const text = withChanges(earlier?.text ?? target.files.get(path) ?? "", path, changes);
  const others = [...edits.values()].reduce((sum, edit) => sum + (edit.path === path ? 0 : edit.text.length), 0);
  if (text === undefined || others + text.length > maxEditedCharacters) return false;
  edits.set(path, { path, changes: [...(earlier?.changes ?? []), ...changes], text });
  return true;
}

/** The action's name in warnings. */
export function label(action: PostAction): string {
  return action.description ?? action.id ?? action.actionId ?? "";
}

export function skipped(action: PostAction, context: PostActionContext, why: string): false {
  context.report.warn("PostActionSkipped", `The post action "${label(action)}" was not done: ${why}.`);
  return false;
}
