import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.js";
import {
  booleanMember,
  booleanOf,
  member,
  objectMember,
  objectsMember,
  stringMember,
  stringsMember,
} from "../json/jsonc.js";
import type {
  OnlyIf,
  ParameterDatatype,
  ParameterSymbol,
  SymbolReplacement,
  TemplateSymbol,
} from "./template-config.js";

const identityForm = "identity";

/** Reads one entry in `symbols`; undefined when its type is unknown. */
export function readSymbol(name: string, raw: JsonObject): TemplateSymbol | undefined {
  switch ((stringMember(raw, "type") ?? "").toLowerCase()) {
    case "parameter":
      return readParameter(name, raw);
    case "derived":
      return {
        name,
        type: "derived",
        raw,
        ...readReplacement(raw),
        valueSource: stringMember(raw, "valueSource"),
        valueTransform: stringMember(raw, "valueTransform"),
      };
    case "computed":
      return {
        name,
        type: "computed",
        raw,
        value: stringMember(raw, "value") ?? "",
        evaluator: stringMember(raw, "evaluator"),
      };
    case "generated":
      return {
        name,
        type: "generated",
        raw,
        ...readReplacement(raw),
        generator: stringMember(raw, "generator") ?? "",
        datatype: stringMember(raw, "datatype"),
        parameters: objectMember(raw, "parameters") ?? {},
      };
    case "bind":
      return {
        name,
        type: "bind",
        raw,
        ...readReplacement(raw),
        binding: stringMember(raw, "binding"),
        datatype: nonEmpty(stringMember(raw, "datatype")) === null ? null : readDatatype(stringMember(raw, "datatype")),
        defaultValue: stringMember(raw, "defaultValue"),
      };
    default:
      return undefined;
  }
}

function readParameter(name: string, raw: JsonObject): ParameterSymbol {
  const typeName = nonEmpty(stringMember(raw, "datatype"));
  const datatype = readDatatype(typeName);
  return {
    name,
    type: "parameter",
    raw,
    ...readReplacement(raw),
    datatype,
    infersType: typeName === null,
    choices: objectsMember(raw, "choices").flatMap((choice) => {
      const value = stringMember(choice, "choice");
      if (value === null) return [];
      return [
        {
          choice: value,
          displayName: stringMember(choice, "displayName"),
          description: stringMember(choice, "description"),
        },
      ];
    }),
    defaultValue: stringMember(raw, "defaultValue"),
    defaultIfOptionWithoutValue:
      datatype === "bool"
        ? (nonEmpty(stringMember(raw, "defaultIfOptionWithoutValue")) ?? "true")
        : stringMember(raw, "defaultIfOptionWithoutValue"),
    isRequired: readCondition(member(raw, "isRequired"), false),
    isEnabled: readCondition(member(raw, "isEnabled"), true),
    allowMultipleValues: booleanMember(raw, "allowMultipleValues"),
    enableQuotelessLiterals: booleanMember(raw, "enableQuotelessLiterals"),
    displayName: stringMember(raw, "displayName"),
    description: stringMember(raw, "description"),
  };
}

const datatypes: ReadonlyMap<string, ParameterDatatype> = new Map([
  ["bool", "bool"],
  ["boolean", "bool"],
  ["int", "integer"],
  ["integer", "integer"],
  ["float", "float"],
  ["hex", "hex"],
  ["choice", "choice"],
  ["text", "string"],
  ["string", "string"],
]);

/** Whether the format knows a datatype's name. An absent name is valid too. */
export function isKnownDatatype(text: string | null): boolean {
  return nonEmpty(text) === null || datatypes.has((text ?? "").toLowerCase());
}

function readDatatype(text: string | null): ParameterDatatype {
  return datatypes.get((text ?? "").toLowerCase()) ?? "string";
}

function readCondition(value: JsonValue | undefined, fallback: boolean): boolean | string {
  const constant = booleanOf(value);
  if (constant !== undefined) return constant;
  return typeof value === "string" && value.trim() !== "" ? value : fallback;
}

function readReplacement(raw: JsonObject): SymbolReplacement {
  return {
    replaces: nonEmpty(stringMember(raw, "replaces")),
    fileRename: nonEmpty(stringMember(raw, "fileRename")),
    onlyIf: objectsMember(raw, "onlyIf").map(readOnlyIf),
    forms: readForms(objectMember(raw, "forms")),
  };
}

function readOnlyIf(raw: JsonObject): OnlyIf {
  // white space is a valid context
  return { before: stringMember(raw, "before") || null, after: stringMember(raw, "after") || null };
}

/** Reads `forms.global`: a list of names, or an object with `forms` and `addIdentity`. */
function readForms(raw: JsonObject | null): readonly string[] {
  const global = raw === null ? undefined : member(raw, "global");
  let names: string[];
  let addIdentity = true;
  if (Array.isArray(global)) {
    names = global.filter((entry) => typeof entry === "string");
  } else if (isJsonObject(global)) {
    names = stringsMember(global, "forms") ?? [];
    addIdentity = booleanMember(global, "addIdentity", true);
  } else {
    return [identityForm];
  }
  const hasIdentity = names.some((name) => name.toLowerCase() === identityForm);
  return addIdentity && !hasIdentity ? [identityForm, ...names] : names;
}

function nonEmpty(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}
