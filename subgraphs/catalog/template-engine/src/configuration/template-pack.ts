import type { FileTree, TreeFile } from "../files/file-tree.js";
import { TemplateError, templateInvalid } from "../findings/template-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.js";
import { parseJsonc, textsMember } from "../json/jsonc.js";
import { readLenientObject } from "../json/lenient-json.js";
import { decodeText } from "../text/encodings.js";
import { readConfig } from "./config-reader.js";
import { type HostData, noHostData, readHostData } from "./host-data.js";
import {
  asksForTemplate,
  chosenTemplates,
  describeCandidate,
  type TemplateCandidate,
  type TemplateChoice,
} from "./template-choice.js";
import type { TemplateConfig } from "./template-config.js";

export { TemplateError };

const configFolder = ".template.config";
const configPath = `${configFolder}/template.json`;
const hostPath = `${configFolder}/dotnetcli.host.json`;

// real templates stay far below this; parsing a larger text would block other work
const maxConfigBytes = 1024 * 1024;
const maxExtraConfigs = 20;
// the configurations of all templates that are compared with a choice
const maxComparedBytes = 4 * maxConfigBytes;
const maxNamedCandidates = 20;

/** A template that is loaded from a file tree and ready to be rendered. */
export interface TemplatePack {
  /** The template's folder in the package; "" is the package's root. */
  readonly root: string;
  readonly config: TemplateConfig;
  readonly host: HostData;
  /** All files below the template's folder, including `.template.config`. */
  readonly files: FileTree;
  /** All files in the package: a source may be outside the template's folder. */
  readonly packageFiles: FileTree;
}

/** The folders that contain a template, sorted by path. */
export function templateRoots(files: FileTree): string[] {
  const roots: string[] = [];
  for (const path of files.keys()) {
    if (path === configPath) roots.push("");
    else if (path.endsWith(`/${configPath}`)) roots.push(path.slice(0, -configPath.length - 1));
  }
  return roots.sort();
}

/**
 * Loads the template that the choice selects. Without a choice it loads the template at the top of the tree, or the only
 * template in it. Throws a TemplateError unless exactly one template fits.
 */
export function loadTemplatePack(files: FileTree, choice: TemplateChoice = {}): TemplatePack {
  const allRoots = templateRoots(files);
  if (allRoots.length === 0) {
    throw templateInvalid("TemplateConfigMissing", `The source contains no ${configPath}.`, {
      suggestion: `Add ${configPath} to the folder of the template.`,
    });
  }
  const roots = allRoots.includes("") && !asksForTemplate(choice) ? [""] : allRoots;
  const [root = ""] = roots;
  if (roots.length === 1 && !asksForTemplate(choice)) return packAt(files, root);
  return packAt(files, chosenRoot(files, roots, choice));
}

function packAt(files: FileTree, root: string): TemplatePack {
  const content = below(files, root);
  return {
    root,
    config: readConfig(readDocument(content, configPath)),
    host: hostData(content),
    files: content,
    packageFiles: files,
  };
}

function chosenRoot(files: FileTree, roots: readonly string[], choice: TemplateChoice): string {
  const candidates = readableTemplates(files, roots);
  if (!asksForTemplate(choice)) throw ambiguous("Several templates were found", candidates);
  const [first, ...others] = chosenTemplates(candidates, choice);
  if (first !== undefined && others.length === 0) return first.root;
  if (first !== undefined) throw ambiguous("Several templates match the choice", [first, ...others]);
  throw templateInvalid(
    "TemplateNotFound",
    `No template matches the choice. The source contains: ${list(candidates)}.`,
    {
      suggestion: "Choose one of them by its identity, language and type.",
    },
  );
}

function ambiguous(problem: string, candidates: readonly TemplateCandidate[]): TemplateError {
  return templateInvalid("TemplateAmbiguous", `${problem}: ${list(candidates)}.`, {
    suggestion: "Choose one of them by templateIdentity, or by the path of the source reference.",
  });
}

/** The templates that can be read. Others can only be chosen by their path, and loading them then reports the fault. */
function readableTemplates(files: FileTree, roots: readonly string[]): TemplateCandidate[] {
  let bytesLeft = maxComparedBytes;
  return roots.flatMap((root) => {
    const path = root === "" ? configPath : `${root}/${configPath}`;
    bytesLeft -= files.get(path)?.bytes.length ?? 0;
    if (bytesLeft < 0) return [];
    try {
      return [{ root, config: readConfig(parseFile(files, path)) }];
    } catch (error) {
      if (error instanceof TemplateError) return [];
      throw error;
    }
  });
}

function list(candidates: readonly TemplateCandidate[]): string {
  const descriptions = candidates.slice(0, maxNamedCandidates).map(describeCandidate).join("; ");
  return candidates.length > maxNamedCandidates ? `${descriptions}; and others` : descriptions;
}

/** Without a readable host file the options have the parameters' names. */
function hostData(files: FileTree): HostData {
  const bytes = files.get(hostPath)?.bytes;
  if (bytes === undefined || bytes.length > maxConfigBytes) return noHostData;
  const { value } = parseJsonc(decodeText(bytes));
  return value === null ? noHostData : readHostData(value);
}

function below(files: FileTree, root: string): FileTree {
  if (root === "") return files;
  const content = new Map<string, TreeFile>();
  for (const [path, file] of files) {
    if (path.startsWith(`${root}/`)) content.set(path.slice(root.length + 1), file);
  }
  return content;
}

function readDocument(files: FileTree, path: string): JsonObject {
  let document = parseFile(files, path);
  for (const extra of (textsMember(document, "AdditionalConfigFiles") ?? []).slice(0, maxExtraConfigs)) {
    document = merged(document, parseFile(files, `${configFolder}/${extra}`));
  }
  return document;
}

function parseFile(files: FileTree, path: string): JsonObject {
  const file = files.get(path);
  if (file === undefined) {
    throw templateInvalid("TemplateConfigMissing", `The configuration file ${path} does not exist.`, { path });
  }
  if (file.bytes.length > maxConfigBytes) {
    throw templateInvalid("TemplateConfigUnreadable", `${path} cannot be read: it is larger than 1 MiB.`, { path });
  }
  const text = decodeText(file.bytes);
  const { value, fault } = parseJsonc(text);
  if (value !== null) return value;
  const lenient = readLenientObject(text);
  if (lenient !== undefined) return lenient;
  throw templateInvalid("TemplateConfigUnreadable", `${path} cannot be read: ${fault.message}.`, {
    path,
    line: fault.line,
    column: fault.column,
  });
}

/** Merges objects member by member, joins lists, and replaces any other value. */
function merged(base: JsonObject, extra: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(extra)) {
    const current = Object.hasOwn(result, key) ? result[key] : undefined;
    if (isJsonObject(current) && isJsonObject(value)) result[key] = merged(current, value);
    else if (Array.isArray(current) && Array.isArray(value)) result[key] = [...current, ...value];
    else result[key] = value;
  }
  return result;
}
