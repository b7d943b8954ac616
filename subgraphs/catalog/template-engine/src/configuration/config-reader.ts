import type { Finding } from "../findings/finding.js";
import { structuralError } from "../findings/template-error.js";
import { escapePointer, isJsonObject, type JsonObject } from "../json/json-value.js";
import {
  booleanMember,
  member,
  objectMember,
  objectsMember,
  stringMapMember,
  stringMember,
  stringsMember,
  textMember,
} from "../json/jsonc.js";
import { isKnownDatatype, readSymbol } from "./config-symbols.js";
import type {
  ManualInstruction,
  PostAction,
  SourceModifier,
  TemplateConfig,
  TemplateSource,
  TemplateSymbol,
} from "./template-config.js";

/** Reads the parsed template.json into the model. A member with a wrong type is treated as absent. */
export function readConfig(raw: JsonObject): TemplateConfig {
  const problems: Finding[] = [];
  const precedence = Number(textMember(raw, "precedence") ?? Number.NaN);
  return {
    identity: stringMember(raw, "identity"),
    groupIdentity: stringMember(raw, "groupIdentity"),
    name: stringMember(raw, "name"),
    shortNames: stringsMember(raw, "shortName") ?? [],
    author: stringMember(raw, "author"),
    description: stringMember(raw, "description"),
    generatorVersions: stringMember(raw, "generatorVersions"),
    precedence: Number.isInteger(precedence) ? precedence : null,
    classifications: stringsMember(raw, "classifications") ?? [],
    tags: stringMapMember(raw, "tags"),
    sourceName: stringMember(raw, "sourceName") || null,
    defaultName: stringMember(raw, "defaultName"),
    preferDefaultName: booleanMember(raw, "preferDefaultName"),
    preferNameDirectory: booleanMember(raw, "preferNameDirectory"),
    placeholderFilename: stringMember(raw, "placeholderFilename") || null,
    guids: stringsMember(raw, "guids") ?? [],
    symbols: readSymbols(raw, problems),
    forms: readObjects(raw, "forms"),
    sources: objectsMember(raw, "sources").map(readSource),
    primaryOutputs: objectsMember(raw, "primaryOutputs").flatMap((output) => {
      const path = stringMember(output, "path");
      return path === null ? [] : [{ path, condition: stringMember(output, "condition") }];
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
      const type = stringMember(value, "type") ?? "";
      problems.push(symbolProblem(name, "type", `has the unknown type "${type}" and is ignored`));
      continue;
    }
    const standard = member(value, "defaultValue");
    if (typeof standard === "number" || typeof standard === "boolean") {
      problems.push(symbolProblem(name, "defaultValue", "has a default that is not a text, so the default is ignored"));
    }
    if (symbol.type === "parameter" && !isKnownDatatype(stringMember(value, "datatype"))) {
      problems.push(symbolProblem(name, "datatype", "has an unknown datatype, so its datatype is text"));
    }
    symbols.set(name, symbol);
  }
  return symbols;
}

function symbolProblem(name: string, property: string, problem: string): Finding {
  const pointer = `/symbols/${escapePointer(name)}/${property}`;
  return { ...structuralError("SchemaViolation", `Symbol "${name}" ${problem}.`, { pointer }), severity: "Warning" };
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
    source: stringMember(raw, "source") ?? "./",
    target: stringMember(raw, "target") ?? "./",
    condition: stringMember(raw, "condition"),
    include: stringsMember(raw, "include"),
    exclude: stringsMember(raw, "exclude"),
    copyOnly: stringsMember(raw, "copyOnly"),
    rename: stringMapMember(raw, "rename"),
    modifiers: objectsMember(raw, "modifiers").map(readModifier),
  };
}

function readModifier(raw: JsonObject): SourceModifier {
  return {
    condition: stringMember(raw, "condition"),
    include: stringsMember(raw, "include") ?? [],
    exclude: stringsMember(raw, "exclude") ?? [],
    copyOnly: stringsMember(raw, "copyOnly") ?? [],
    rename: stringMapMember(raw, "rename"),
  };
}

function readPostAction(raw: JsonObject): PostAction {
  return {
    id: stringMember(raw, "id"),
    actionId: stringMember(raw, "actionId"),
    description: stringMember(raw, "description"),
    condition: stringMember(raw, "condition"),
    continueOnError: booleanMember(raw, "continueOnError"),
    args: objectMember(raw, "args") ?? {},
    manualInstructions: objectsMember(raw, "manualInstructions").flatMap(readInstruction),
    applyFileRenamesToArgs: stringsMember(raw, "applyFileRenamesToArgs") ?? [],
    applyFileRenamesToManualInstructions: booleanMember(raw, "applyFileRenamesToManualInstructions"),
  };
}

function readInstruction(raw: JsonObject): ManualInstruction[] {
  const text = stringMember(raw, "text");
  return text === null ? [] : [{ id: stringMember(raw, "id"), text, condition: stringMember(raw, "condition") }];
}
