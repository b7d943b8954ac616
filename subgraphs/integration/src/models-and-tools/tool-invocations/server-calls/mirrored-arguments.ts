import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import { type Members, membersOf } from "./json-members.js";

/**
 * The arguments for a tool. The client of the protocol repeats an argument in a header where the input schema declares
 * `x-mcp-header`, and it can write numbers of JavaScript only. Such a number is one, if it is a whole number that JavaScript
 * can hold; all others are sent as they came.
 */
export function mirroredArguments(given: Members, inputSchema: unknown): Record<string, unknown> {
  const properties = membersOf(membersOf(inputSchema)?.["properties"]) ?? {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
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
