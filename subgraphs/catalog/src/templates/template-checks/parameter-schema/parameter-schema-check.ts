import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import {
  escapePointer,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@factory/template-engine/json-value";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { TemplateError } from "@factory/template-engine/template-error";
import { loadTemplatePack, type TemplatePack } from "@factory/template-engine/template-pack";
import { compileOffline, type OfflineSchema, SchemaError } from "../../parameters/offline-schema.js";
import { reservedName } from "../../parameters/parameter-schema.js";
import { schemaProblem } from "../../parameters/schema-limits.js";
import { everDefined, resolved } from "../../parameters/schema-properties.js";
import { finding } from "../findings/finding-codes.js";
import { slowPatterns } from "../regular-expressions/slow-patterns.js";
import { compareWithSymbols } from "./compare-with-symbols.js";
import { schemaTypes } from "./schema-types.js";

/** Checks the parameterSchema by itself and against the template's symbols. Pointers lead into the schema. */
export async function parameterSchemaCheck(
  files: FileTree,
  schema: unknown,
  template?: TemplateChoice,
): Promise<Finding[]> {
  const problem = schemaProblem(schema);
  if (!isJsonObject(schema))
    return [
      finding("RootNotObject", "The parameterSchema is not a JSON object. Use a JSON Schema of the type object.", {
        pointer: "",
      }),
    ];
  if (problem) return [finding("SchemaNotValid", problem.detail, { pointer: "" })];
  let validator: OfflineSchema;
  try {
    validator = await compileOffline(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return [schemaFault(error)];
  }
  const pack = packOf(files, template);
  const slow = slowPatterns(schema);
  // a check on the defaults would run these patterns
  if (slow.length > 0) return [...slow, ...checkRoot(schema), ...(pack ? compareWithSymbols(schema, pack) : [])];
  return [
    ...checkRoot(schema),
    ...checkedProperties(schema, validator),
    ...(pack ? compareWithSymbols(schema, pack) : []),
  ];
}

function schemaFault(error: SchemaError): Finding {
  if (error.reason === "TooSlow") return finding("PatternTooSlow", error.message, { pointer: error.pointer });
  if (error.reason === "NotValid") return finding("SchemaNotValid", error.message, { pointer: error.pointer });
  const { pointer } = error;
  return finding("RemoteRefNotAllowed", error.message, { pointer, suggestion: "Move the referenced schema to $defs." });
}

/** Undefined when the template cannot be read: StructuralLint reports that, and only the schema itself is checked. */
function packOf(files: FileTree, template: TemplateChoice | undefined): TemplatePack | undefined {
  try {
    return loadTemplatePack(files, template);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function checkRoot(schema: JsonObject): Finding[] {
  const findings: Finding[] = [];
  const types = schemaTypes(schema);
  if (types && !types.includes("object"))
    findings.push(
      finding(
        "RootNotObject",
        'The type of the parameterSchema is not "object". Parameters are always a JSON object.',
        { pointer: "/type" },
      ),
    );
  const properties = everDefined(schema);
  const open = schema["additionalProperties"] !== undefined && schema["additionalProperties"] !== false;
  const requiredNames = isJsonArray(schema["required"]) ? schema["required"] : [];
  requiredNames.forEach((name, index) => {
    if (typeof name !== "string" || properties.has(name) || name === reservedName || open) return;
    const message = `The required parameter "${name}" is not among the properties, so that no request can set it.`;
    findings.push(finding("RequiredNotInProperties", message, { pointer: `/required/${index}` }));
  });
  return findings;
}

/** A schema that compiles may still fail on a value, for example when a reference leads back to itself. */
function checkedProperties(schema: JsonObject, validator: OfflineSchema): Finding[] {
  try {
    return checkProperties(schema, validator);
  } catch (error) {
    if (error instanceof SchemaError) return [schemaFault(error)];
    throw error;
  }
}

function checkProperties(schema: JsonObject, validator: OfflineSchema): Finding[] {
  return Array.from(everDefined(schema)).flatMap(([name, property]) => {
    const rule = resolved(schema, property);
    if (!rule) return [];
    const pointer = `/properties/${escapePointer(name)}`;
    return [
      ...checkEnum(name, rule, pointer),
      ...checkDefault(name, rule, { pointer, compiled: validator }),
      ...checkReserved(name, rule, pointer),
    ];
  });
}

function checkEnum(name: string, rule: JsonObject, pointer: string): Finding[] {
  const values = rule["enum"];
  if (!isJsonArray(values)) return [];
  const place = { pointer: `${pointer}/enum` };
  if (values.length === 0)
    return [finding("EnumEmpty", `The enum of "${name}" is empty, so that it allows no value.`, place)];
  const types = schemaTypes(rule);
  const wrongValues = values.filter((value) => types && !types.some((type) => isOfType(value, type)));
  if (wrongValues.length === 0) return [];
  const message = `The enum of "${name}" contains ${JSON.stringify(wrongValues[0])}, which does not have the type ${types?.join(", ")}.`;
  return [finding("EnumTypeMismatch", message, place)];
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    default:
      return typeof value === type;
  }
}

function checkDefault(
  name: string,
  rule: JsonObject,
  { pointer, compiled }: { pointer: string; compiled: OfflineSchema },
): Finding[] {
  const standard = rule["default"];
  if (standard === undefined) return [];
  const ownPointer = `/${escapePointer(name)}`;
  const wrong = compiled
    .failures({ [name]: standard })
    .some((failure) => failure.pointer === ownPointer || failure.pointer.startsWith(`${ownPointer}/`));
  if (!wrong) return [];
  const message = `The default of "${name}" is not valid by its own schema.`;
  return [finding("DefaultNotValid", message, { pointer: `${pointer}/default` })];
}

function checkReserved(name: string, rule: JsonObject, pointer: string): Finding[] {
  if (name !== reservedName) return [];
  const types = schemaTypes(rule);
  if (!types || types.every((type) => type === "string")) return [];
  return [
    finding(
      "ReservedParameterName",
      'The parameter "name" is the name of the scaffold. Its type can only be "string".',
      {
        pointer: `${pointer}/type`,
      },
    ),
  ];
}
