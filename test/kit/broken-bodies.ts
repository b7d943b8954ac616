import type { JsonSchema } from "@factory/runtime/input-validation/input-schema";

interface BrokenBody {
  /** The expected field error, for example `/name TOO_LONG`. */
  readonly says: string;
  readonly body: unknown;
}

type Wrap = (value: unknown) => unknown;

const ofAnotherType: Record<string, unknown> = { string: 7, integer: "text", boolean: "yes", array: {}, object: [] };

/** One body for each limit that a schema's fields have. Each body breaks exactly one limit. */
export function brokenBodies(schema: JsonSchema, wrap: Wrap = (value) => value, pointer = ""): BrokenBody[] {
  const type = [schema["type"]].flat().find((name) => name !== "null") as string;
  const breaks = (code: string, value: unknown): BrokenBody => ({ says: `${pointer} ${code}`, body: wrap(value) });
  const bodies = type in ofAnotherType ? [breaks("TYPE", ofAnotherType[type])] : [];
  if (type === "string") bodies.push(...brokenStrings(schema, breaks));
  if (typeof schema["minimum"] === "number") bodies.push(breaks("OUT_OF_RANGE", schema["minimum"] - 1));
  if (type === "integer") bodies.push(breaks("TYPE", 1.5));
  if (typeof schema["maxItems"] === "number") bodies.push(breaks("TOO_LONG", Array(schema["maxItems"] + 1).fill("x")));
  if (typeof schema["minItems"] === "number") bodies.push(breaks("TOO_SHORT", []));
  if (schema["items"])
    bodies.push(...brokenBodies(schema["items"] as JsonSchema, (item) => wrap([item]), `${pointer}/0`));
  for (const [name, member] of Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>))
    bodies.push(...brokenBodies(member, (value) => wrap({ [name]: value }), `${pointer}/${name}`));
  for (const name of (schema["required"] ?? []) as string[])
    bodies.push({ says: `${pointer}/${name} REQUIRED`, body: wrap({}) });
  return bodies;
}

function brokenStrings(schema: JsonSchema, breaks: (code: string, value: string) => BrokenBody): BrokenBody[] {
  const { minLength, maxLength, pattern, format } = schema;
  return [
    ...(typeof maxLength === "number" ? [breaks("TOO_LONG", "x".repeat(maxLength + 1))] : []),
    ...(typeof minLength === "number" && minLength > 0 ? [breaks("TOO_SHORT", "")] : []),
    ...(pattern !== undefined || format !== undefined ? [breaks("FORMAT", " ")] : []),
  ];
}
