import { readSymbol } from "./config-symbols.js";
import type { Finding } from "./finding.js";
import { isJsonObject, type JsonObject } from "./json-value.js";
import {
  booleanMember,
  member,
  objectMember,
  objectsMember,
  scalarText,
  textMapMember,
  textMember,
  textsMember,
} from "./jsonc.js";
import type {
  ManualInstruction,
  PostAction,
  SourceModifier,
  TemplateConfig,
  TemplateSource,
  TemplateSymbol,
} from "./template-config.js";
import { structuralError } from "./template-error.js";

/** Reads the parsed template.json into the model; whatever has the wrong shape counts as absent. */
export function readConfig(raw: JsonObject): TemplateConfig {
  const problems: Finding[] = [];
  const precedence = Number(textMember(raw, "precedence") ?? Number.NaN);
  return {
    identity: textMember(raw, "identity"),
    groupIdentity: textMember(raw, "groupIdentity"),
    name: textMember(raw, "name"),
    shortNames: textsMember(raw, "shortName") ?? [],
    author: textMember(raw, "author"),
    description: textMember(raw, "description"),
    generatorVersions: textMember(raw, "generatorVersions"),
    precedence: Number.isInteger(precedence) ? precedence : null,
    classifications: textsMember(raw, "classifications") ?? [],
    tags: textMapMember(raw, "tags"),
    sourceName: textMember(raw, "sourceName") || null,
    defaultName: textMember(raw, "defaultName"),
    preferDefaultName: booleanMember(raw, "preferDefaultName"),
    preferNameDirectory: booleanMember(raw, "preferNameDirectory"),
    placeholderFilename: textMember(raw, "placeholderFilename") || null,
    guids: textsMember(raw, "guids") ?? [],
    symbols: readSymbols(raw, problems),
    forms: readObjects(raw, "forms"),
    sources: objectsMember(raw, "sources").map(readSource),
    primaryOutputs: objectsMember(raw, "primaryOutputs").flatMap((output) => {
      const path = textMember(output, "path");
      return path === null ? [] : [{ path, condition: textMember(output, "condition") }];
    }),
    postActions: objectsMember(raw, "postActions").map(readPostAction),
    constraints: objectMember(raw, "constraints") ?? {},
    globalCustomOperations: objectMember(raw, "globalCustomOperations") ?? objectMember(raw, "customOperations"),
    specialCustomOperations: readObjects(raw, "specialCustomOperations"),
    problems,
    raw,
  };
}

function readSymbols(raw: JsonObject, problems: Finding[]): Map<string, TemplateSymbol> {
  const symbols = new Map<string, TemplateSymbol>();
  for (const [name, value] of Object.entries(objectMember(raw, "symbols") ?? {})) {
    if (!isJsonObject(value) || name.trim() === "") continue;
    const symbol = readSymbol(name, value);
    if (symbol === undefined) {
      const type = textMember(value, "type") ?? "";
      problems.push({
        ...structuralError("SchemaViolation", `Symbol "${name}" has the unknown type "${type}" and is left out.`, {
          pointer: `/symbols/${name.replaceAll("~", "~0").replaceAll("/", "~1")}/type`,
        }),
        severity: "Warning",
      });
      continue;
    }
    symbols.set(name, symbol);
  }
  return symbols;
}

function readObjects(raw: JsonObject, name: string): Map<string, JsonObject> {
  const map = new Map<string, JsonObject>();
  for (const [key, value] of Object.entries(objectMember(raw, name) ?? {})) {
    if (isJsonObject(value)) map.set(key, value);
  }
  return map;
}

function readSource(raw: JsonObject): TemplateSource {
  return {
    source: textMember(raw, "source") ?? "./",
    target: textMember(raw, "target") ?? "./",
    condition: textMember(raw, "condition"),
    include: textsMember(raw, "include"),
    exclude: textsMember(raw, "exclude"),
    copyOnly: textsMember(raw, "copyOnly"),
    rename: textMapMember(raw, "rename"),
    modifiers: objectsMember(raw, "modifiers").map(readModifier),
  };
}

function readModifier(raw: JsonObject): SourceModifier {
  return {
    condition: textMember(raw, "condition"),
    include: textsMember(raw, "include") ?? [],
    exclude: textsMember(raw, "exclude") ?? [],
    copyOnly: textsMember(raw, "copyOnly") ?? [],
    rename: textMapMember(raw, "rename"),
  };
}

function readPostAction(raw: JsonObject): PostAction {
  const renamed = member(raw, "applyFileRenamesToArgs");
  return {
    id: textMember(raw, "id"),
    actionId: textMember(raw, "actionId"),
    description: textMember(raw, "description"),
    condition: textMember(raw, "condition"),
    continueOnError: booleanMember(raw, "continueOnError"),
    args: objectMember(raw, "args") ?? {},
    manualInstructions: objectsMember(raw, "manualInstructions").flatMap(readInstruction),
    applyFileRenamesToArgs: Array.isArray(renamed) ? renamed.map(scalarText).filter((text) => text !== null) : [],
    applyFileRenamesToManualInstructions: booleanMember(raw, "applyFileRenamesToManualInstructions"),
  };
}

function readInstruction(raw: JsonObject): ManualInstruction[] {
  const text = textMember(raw, "text");
  return text === null ? [] : [{ id: textMember(raw, "id"), text, condition: textMember(raw, "condition") }];
}
