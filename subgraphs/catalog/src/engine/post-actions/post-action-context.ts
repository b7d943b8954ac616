import type { Variables } from "../expressions/value.js";
import type { TreeFile } from "../file-tree.js";
import type { RenderReport } from "../render-report.js";
import type { PostAction } from "../template-config.js";

export interface PostActionContext {
  files: Map<string, TreeFile>;
  /** Where in the template each file came from, as `./folder/file`. */
  origins: ReadonlyMap<string, string>;
  primaryOutputs: readonly string[];
  seed: string;
  variables: Variables;
  report: RenderReport;
  rename: (path: string) => string;
}

/** How a warning names the action. */
export function label(action: PostAction): string {
  return action.description ?? action.id ?? action.actionId ?? "";
}

export function skipped(action: PostAction, context: PostActionContext, why: string): false {
  context.report.warn("PostActionSkipped", `The post action "${label(action)}" was not done: ${why}.`);
  return false;
}
