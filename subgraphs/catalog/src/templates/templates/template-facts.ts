import { isPackageId } from "@factory/nuget/package-id";
import { parseVersion } from "@factory/nuget/version";
import type { FileTree } from "@factory/template-engine/file-tree";
import { parameterAliases } from "@factory/template-engine/host-data";
import { isJsonObject, type JsonValue } from "@factory/template-engine/json-value";
import { parameterNames } from "@factory/template-engine/symbol-table";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import { storable } from "./content/storable.js";

/** Facts from a template's content that are known before a render. */
export interface TemplateFacts {
  /** Packages that the template's projects reference with a fixed version. */
  readonly pins: { readonly packageName: string; readonly version: string }[];
  /** The SDK versions, floating versions or ranges that the template accepts. One must match. */
  readonly sdkVersions: string[];
  /** The parameters that a request may set. Null when the template cannot be read or has too many to be stored. */
  readonly parameterNames: string[] | null;
  /** The parameter names by their aliases. */
  readonly parameterAliases: Readonly<Record<string, string>>;
}

const maxPins = 500;
const maxNameCharacters = 64 * 1024;
const maxProjectBytes = 1024 * 1024;
const projectFile = /(?:\.\w*proj|(?:^|\/)Directory\.Packages\.props)$/i;
const packageItem = /<Package(?:Reference|Version)\s([^<>]*)>/g;

/**
 * Reads the facts from the text alone: conditions are not evaluated, and a version that a parameter fills is ignored.
 */
export function templateFacts(files: FileTree, choice: TemplateChoice = {}): TemplateFacts {
  const pins = new Map<string, { packageName: string; version: string }>();
  for (const [path, { bytes }] of files) {
    if (!projectFile.test(path) || bytes.length > maxProjectBytes) continue;
    for (const [, attributes = ""] of Buffer.from(bytes).toString("utf8").matchAll(packageItem)) {
      const [packageName, version] = [attribute(attributes, "Include"), attribute(attributes, "Version")];
      if (!isPackageId(packageName) || parseVersion(version) === undefined) continue;
      pins.set(`${packageName.toLowerCase()} ${version}`, { packageName, version });
      if (pins.size === maxPins) break;
    }
  }
  return { pins: [...pins.values()].slice(0, maxPins), ...configFacts(files, choice) };
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`(?:^|\\s)${name}\\s*=\\s*"([^"]*)"`).exec(attributes)?.[1]?.trim() ?? "";
}

function configFacts(files: FileTree, choice: TemplateChoice): Omit<TemplateFacts, "pins"> {
  try {
    const { config, host } = loadTemplatePack(files, choice);
    const names = parameterNames(config);
    const aliases = parameterAliases(config, host);
    const tooMany = [...names, ...aliases.keys()].join("").length > maxNameCharacters;
    return storable({
      sdkVersions: Object.values(config.constraints).flatMap(sdkVersionsOf),
      parameterNames: tooMany ? null : names,
      parameterAliases: tooMany ? {} : Object.fromEntries(aliases),
    });
  } catch {
    // The checks report the fault.
    return { sdkVersions: [], parameterNames: null, parameterAliases: {} };
  }
}

function sdkVersionsOf(constraint: JsonValue): string[] {
  if (!isJsonObject(constraint) || constraint["type"] !== "sdk-version") return [];
  return [constraint["args"]].flat().filter((version) => typeof version === "string");
}
