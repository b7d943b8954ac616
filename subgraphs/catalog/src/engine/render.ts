import type { TreeFile } from "./file-tree.js";
import { renderFailed } from "./template-error.js";
import type { TemplatePack } from "./template-pack.js";

export interface RenderRequest {
  name: string;
  parameters: Readonly<Record<string, unknown>>;
  seed: string;
  now: Date;
}

export interface RenderResult {
  files: Map<string, TreeFile>;
  primaryOutputs: string[];
  manualInstructions: { text: string; actionId: string | null }[];
  warnings: { code: string; message: string }[];
}

/** Same pack and same request give the same bytes. */
export function render(pack: TemplatePack, _request: RenderRequest): RenderResult {
  throw renderFailed(`The template at "${pack.root}" cannot be rendered yet.`);
}
