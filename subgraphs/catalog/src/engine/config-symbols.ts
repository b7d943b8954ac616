import { isJsonObject, type JsonObject, type JsonValue } from "./json-value.js";
import {
  booleanMember,
  booleanOf,
  member,
  objectMember,
  objectsMember,
  scalarText,
  textMember,
  textsMember,
} from "./jsonc.js";
import type {
  OnlyIf,
  ParameterDatatype,
  ParameterSymbol,
  SymbolReplacement,
  TemplateSymbol,
} from "./template-config.js";

const IDENTITY = "identity";

/** One entry of `symbols`, or undefined when its type is unknown. */
export function readSymbol(name: string, raw: JsonObject): TemplateSymbol | undefined {
  switch ((textMember(raw, "type") ?? "").toLowerCase()) {
    case "parameter":
      return readParameter(name, raw);
    case "derived":
      return {
        name,
        type: "derived",
        raw,
        ...readReplacement(raw),
        valueSource: textMember(raw, "valueSource"),
        valueTransform: textMember(raw, "valueTransform"),
      };
    case "computed":
      return {
        name,
        type: "computed",
        raw,
        value: textMember(raw, "value") ?? "",
        evaluator: textMember(raw, "evaluator"),
      };
    case "generated":
      return {
        name,
        type: "generated",
        raw,
        ...readReplacement(raw),
        generator: textMember(raw, "generator") ?? "",
        datatype: textMember(raw, "datatype"),
        parameters: objectMember(raw, "parameters") ?? {},
      };
    case "bind":
      return {
        name,
        type: "bind",
        raw,
        ...readReplacement(raw),
        binding: textMember(raw, "binding"),
        datatype: nonEmpty(textMember(raw, "datatype")) === null ? null : readDatatype(textMember(raw, "datatype")),
        defaultValue: textMember(raw, "defaultValue"),
      };
    default:
      return undefined;
  }
}

function readParameter(name: string, raw: JsonObject): ParameterSymbol {
  const named = nonEmpty(textMember(raw, "datatype"));
  const datatype = readDatatype(named);
  return {
    name,
    type: "parameter",
    raw,
    ...readReplacement(raw),
    datatype,
    infersType: named === null,
    choices: objectsMember(raw, "choices").flatMap((choice) => {
      const value = textMember(choice, "choice");
      if (value === null) return [];
      return [
        {
          choice: value,
          displayName: textMember(choice, "displayName"),
          description: textMember(choice, "description"),
        },
      ];
    }),
    defaultValue: textMember(raw, "defaultValue"),
    defaultIfOptionWithoutValue:
      textMember(raw, "defaultIfOptionWithoutValue") ?? (datatype === "bool" ? "true" : null),
    isRequired: readCondition(member(raw, "isRequired"), false),
    isEnabled: readCondition(member(raw, "isEnabled"), true),
    allowMultipleValues: booleanMember(raw, "allowMultipleValues"),
    enableQuotelessLiterals: booleanMember(raw, "enableQuotelessLiterals"),
    displayName: textMember(raw, "displayName"),
    description: textMember(raw, "description"),
  };
}

function readDatatype(text: string | null): ParameterDatatype {
  switch ((text ?? "").toLowerCase()) {
    case "bool":
    case "boolean":
      return "bool";
    case "int":
    case "integer":
      return "integer";
    case "float":
      return "float";
    case "hex":
      return "hex";
    case "choice":
      return "choice";
    default:
      return "string";
  }
}

function readCondition(value: JsonValue | undefined, fallback: boolean): boolean | string {
  const constant = booleanOf(value);
  if (constant !== undefined) return constant;
  return typeof value === "string" && value.trim() !== "" ? value : fallback;
}

function readReplacement(raw: JsonObject): SymbolReplacement {
  return {
    replaces: nonEmpty(textMember(raw, "replaces")),
    fileRename: nonEmpty(textMember(raw, "fileRename")),
    onlyIf: objectsMember(raw, "onlyIf").map(readOnlyIf),
    forms: readForms(objectMember(raw, "forms")),
  };
}

function readOnlyIf(raw: JsonObject): OnlyIf {
  // white space is a context like any other
  return { before: textMember(raw, "before") || null, after: textMember(raw, "after") || null };
}

/** `forms.global` is a list of names, or an object with `forms` and `addIdentity`. */
function readForms(raw: JsonObject | null): readonly string[] {
  const global = raw === null ? undefined : member(raw, "global");
  let names: string[];
  let addIdentity = true;
  if (Array.isArray(global)) {
    names = global.map(scalarText).filter((text) => text !== null);
  } else if (isJsonObject(global)) {
    names = textsMember(global, "forms") ?? [];
    addIdentity = booleanMember(global, "addIdentity", true);
  } else {
    return [IDENTITY];
  }
  const hasIdentity = names.some((name) => name.toLowerCase() === IDENTITY);
  return addIdentity && !hasIdentity ? [IDENTITY, ...names] : names;
}

function nonEmpty(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}
