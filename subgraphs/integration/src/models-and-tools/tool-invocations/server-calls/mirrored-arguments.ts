import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import { type Members, membersOf } from "./json-members.js";

/**
 * The arguments for a tool. The protocol's client repeats an argument in a header where the input schema declares
 * `x-mcp-header`, and it can write JavaScript numbers only. Such a number is one, if it is a whole number that
 * JavaScript can hold; all others are sent as they came.
 */
export function mirroredArguments(toolArguments: Members, inputSchema: unknown): Record<string, unknown> {
  const properties = membersOf(membersOf(inputSchema)?.["properties"]) ?? {};
  return Object.fromEntries(
    Object.entries(toolArguments).map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) ? mirrored(value, membersOf(properties[name]) ?? {}) : value,
    ]),
  );
}

function mirrored(value: unknown, schema: Members): unknown {
  if (isKeptNumber(value)) {
    const number = Number(value.rawJSON);
    return Object.hasOwn(schema, "x-mcp-header") && Number.isSafeInteger(number) ? number : value;
  }
  const members = membersOf(value);
  return members && membersOf(schema["properties"]) ? mirroredArguments(members, schema) : value;
}
