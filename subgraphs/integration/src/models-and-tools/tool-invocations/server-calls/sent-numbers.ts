import { holdsKeptNumber, isKeptNumber, withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { Tool } from "@modelcontextprotocol/client";
import { type Members, membersOf } from "./json-members.js";

/** The value for the client of the protocol, which takes numbers of JavaScript only: one that is too large is null. */
export const plainJson = <Value>(value: Value): Value =>
  holdsKeptNumber(value) ? JSON.parse(JSON.stringify(withPlainNumbers(value))) : value;

/** Tells the place of a tool in the list of the server. The client of the protocol hands it on. */
export const placeOf = (place: number) => ({ place });

/** A tool from the client of the protocol with its numbers as the server has sent them. */
export function withSentNumbers(tool: Tool, sent: readonly Members[]): Tool {
  const place = tool._meta?.["place"];
  const source = typeof place === "number" ? sent[place] : undefined;
  return source && holdsKeptNumber(source) ? (restored(tool, source) as Tool) : tool;
}

function restored(value: unknown, sent: unknown): unknown {
  if (isKeptNumber(sent)) return typeof value === "number" || value === null ? sent : value;
  if (Array.isArray(value)) return Array.isArray(sent) ? value.map((item, at) => restored(item, sent[at])) : value;
  const [members, sources] = [membersOf(value), membersOf(sent)];
  if (!members || !sources) return value;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      Object.hasOwn(sources, name) ? restored(member, sources[name]) : member,
    ]),
  );
}
