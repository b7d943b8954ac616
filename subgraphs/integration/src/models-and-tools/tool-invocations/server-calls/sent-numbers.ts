import { holdsKeptNumber, isKeptNumber, withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { Tool } from "@modelcontextprotocol/client";
import { type Members, membersOf } from "./json-members.js";

/** The value for the protocol's client, which takes JavaScript numbers only: one that is too large is null. */
export const plainJson = <Value>(value: Value): Value =>
  holdsKeptNumber(value) ? JSON.parse(JSON.stringify(withPlainNumbers(value))) : value;

/** Tells a tool's place in the server's list. The protocol's client hands it on. */
export const placeOf = (place: number) => ({ place });

/** A tool from the protocol's client with its numbers as the server has sent them. */
export function withSentNumbers(tool: Tool, sentTools: readonly Members[]): Tool {
  const place = tool._meta?.["place"];
  const source = typeof place === "number" ? sentTools[place] : undefined;
  return source && holdsKeptNumber(source) ? (restored(tool, source) as Tool) : tool;
}

function restored(value: unknown, sentValue: unknown): unknown {
  if (isKeptNumber(sentValue)) return typeof value === "number" || value === null ? sentValue : value;
  if (Array.isArray(value))
    return Array.isArray(sentValue) ? value.map((item, at) => restored(item, sentValue[at])) : value;
  const [members, sources] = [membersOf(value), membersOf(sentValue)];
  if (!members || !sources) return value;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      Object.hasOwn(sources, name) ? restored(member, sources[name]) : member,
    ]),
  );
}
