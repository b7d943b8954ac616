import type { FileTree } from "./file-tree.js";
import type { TemplateConfig } from "./template-config.js";
import { templateInvalid } from "./template-error.js";

export { TemplateError } from "./template-error.js";

export interface TemplatePack {
  /** Folder of the template inside the package, "" when it is the package's root. */
  readonly root: string;
  readonly config: TemplateConfig;
  /** Everything below the template root, `.template.config` included. */
  readonly files: FileTree;
}

/** Finds the single template of a file tree. */
export function loadTemplatePack(_files: FileTree): TemplatePack {
  throw templateInvalid("TemplateConfigMissing", "No .template.config/template.json was found.");
}
