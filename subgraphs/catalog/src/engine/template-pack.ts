import { readConfig } from "./config-reader.js";
import { decodeText } from "./encodings.js";
import type { FileTree, TreeFile } from "./file-tree.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./json-value.js";
import { parseJsonc, textsMember } from "./jsonc.js";
import { readLenientObject } from "./lenient-json.js";
import type { TemplateConfig } from "./template-config.js";
import { TemplateError, templateInvalid } from "./template-error.js";

export { TemplateError };

const CONFIG_FOLDER = ".template.config";
const CONFIG_PATH = `${CONFIG_FOLDER}/template.json`;

export interface TemplatePack {
  /** Folder of the template inside the package, "" when it is the package's root. */
  readonly root: string;
  readonly config: TemplateConfig;
  /** Everything below the template root, `.template.config` included. */
  readonly files: FileTree;
  /** Everything of the package, where a source may also lie beside the template. */
  readonly packageFiles: FileTree;
}

/** Folders that hold a template, in path order. */
export function templateRoots(files: FileTree): string[] {
  const roots: string[] = [];
  for (const path of files.keys()) {
    if (path === CONFIG_PATH) roots.push("");
    else if (path.endsWith(`/${CONFIG_PATH}`)) roots.push(path.slice(0, -CONFIG_PATH.length - 1));
  }
  return roots.sort();
}

/** Finds the single template of a file tree; one at its top is meant even when its content holds others. */
export function loadTemplatePack(files: FileTree): TemplatePack {
  const found = templateRoots(files);
  const roots = found.includes("") ? [""] : found;
  const [root] = roots;
  if (root === undefined) {
    throw templateInvalid("TemplateConfigMissing", `No ${CONFIG_PATH} was found.`, {
      suggestion: `Add ${CONFIG_PATH} to the template's folder.`,
    });
  }
  if (roots.length > 1) {
    throw templateInvalid("TemplateAmbiguous", `Several templates were found: ${roots.map(display).join(", ")}.`, {
      suggestion: "Select one of them by the path of the source reference.",
    });
  }
  const own = below(files, root);
  return { root, config: readConfig(readDocument(own, CONFIG_PATH)), files: own, packageFiles: files };
}

function display(root: string): string {
  return root === "" ? "." : root;
}

function below(files: FileTree, root: string): FileTree {
  if (root === "") return files;
  const own = new Map<string, TreeFile>();
  for (const [path, file] of files) {
    if (path.startsWith(`${root}/`)) own.set(path.slice(root.length + 1), file);
  }
  return own;
}

function readDocument(files: FileTree, path: string): JsonObject {
  let document = parseFile(files, path);
  for (const extra of textsMember(document, "AdditionalConfigFiles") ?? []) {
    document = merged(document, parseFile(files, `${CONFIG_FOLDER}/${extra}`));
  }
  return document;
}

function parseFile(files: FileTree, path: string): JsonObject {
  const file = files.get(path);
  if (file === undefined) {
    throw templateInvalid("TemplateConfigMissing", `The configuration file ${path} does not exist.`, { path });
  }
  const text = decodeText(file.bytes);
  const { value, fault } = parseJsonc(text);
  if (value !== null) return value;
  const lenient = readLenientObject(text);
  if (lenient !== undefined) return lenient;
  throw templateInvalid("TemplateConfigUnreadable", `${path} is not readable: ${fault.message}.`, {
    path,
    line: fault.line,
    column: fault.column,
  });
}

/** Objects are merged member by member, lists are joined, anything else is replaced. */
function merged(base: JsonObject, extra: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(extra)) {
    const known = Object.hasOwn(result, key) ? result[key] : undefined;
    if (isJsonObject(known) && isJsonObject(value)) result[key] = merged(known, value);
    else if (Array.isArray(known) && Array.isArray(value)) result[key] = [...known, ...value];
    else result[key] = value;
  }
  return result;
}
