import { isJsonObject } from "@factory/template-engine/json-value";

export const schemaDialect = "https://json-schema.org/draft/2020-12/schema";

const maxBytes = 256 * 1024;
const maxDepth = 32;
const maxProperties = 500;

interface SchemaProblem {
  code: string;
  detail: string;
}

/** Refuses a parameterSchema that is not an object or too large; these limits bound the validator's cost. */
export function schemaProblem(schema: unknown): SchemaProblem | undefined {
  if (!isJsonObject(schema)) return { code: "TYPE", detail: "The parameterSchema must be a JSON object." };
  const dialect = schema["$schema"];
  if (dialect !== undefined && !isDialect(dialect))
    return { code: "UNKNOWN_VALUE", detail: `The $schema of the parameterSchema must be ${schemaDialect}.` };
  const extent = { properties: 0 };
  if (!withinDepth(schema, maxDepth, extent))
    return { code: "TOO_LONG", detail: `The parameterSchema has more than ${maxDepth} levels. Make it flatter.` };
  if (extent.properties > maxProperties)
    return {
      code: "TOO_LONG",
      detail: `The parameterSchema defines more than the ${maxProperties} properties that are allowed.`,
    };
  if (Buffer.byteLength(JSON.stringify(schema)) > maxBytes)
    return {
      code: "TOO_LONG",
      detail: `The parameterSchema is larger than the ${maxBytes / 1024} KiB that are allowed.`,
    };
  return undefined;
}

export function isDialect(value: unknown): boolean {
  return value === schemaDialect || value === `${schemaDialect}#`;
}

function withinDepth(value: unknown, depthLeft: number, extent: { properties: number }): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depthLeft === 0) return false;
  if (Array.isArray(value)) return value.every((item) => withinDepth(item, depthLeft - 1, extent));
  return Object.entries(value).every(([key, child]) => {
    if (key === "properties" && isJsonObject(child)) extent.properties += Object.keys(child).length;
    return withinDepth(child, depthLeft - 1, extent);
  });
}
