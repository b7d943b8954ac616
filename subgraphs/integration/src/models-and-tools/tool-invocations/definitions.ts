import { createHash } from "node:crypto";
import { canonicalJson } from "@factory/runtime/identifiers/canonical-json";
import { parseForeignJson, withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { Tool } from "@modelcontextprotocol/client";
import { levelsOf } from "./json-levels.js";
import { toolPart } from "./qualified-name.js";
import { maxLevels } from "./server-calls/definition-fault.js";
import { type LeftOutTool, leftOutTool } from "./server-calls/left-out-tool.js";

/** The definition of a tool as its hash covers it: what a model is told about the tool. */
export type ToolDefinition = Pick<
  Tool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>;

/** A tool in the list of a server. */
export interface ListedTool {
  readonly name: string;
  readonly part: string;
  /** Canonical JSON. */
  readonly definition: string;
  readonly definitionHash: string;
}

const maxTools = 512;
const maxDefinitionBytes = 65_536;
const maxListBytes = 2 * 1024 * 1024;

/** A list as the platform takes it: the names of its tools differ, and they are within its limits. */
export interface TakenList {
  readonly listed: readonly ListedTool[];
  readonly leftOut: readonly LeftOutTool[];
}

export function takenList(tools: readonly Tool[]): TakenList {
  const listed: ListedTool[] = [];
  const leftOut: LeftOutTool[] = [];
  const taken: Taken = { parts: new Set(), names: new Set(), bytes: 0 };
  for (const tool of tools) {
    const found = listed.length < maxTools ? listedTool(tool) : `The list may have at most ${maxTools} tools.`;
    const reason = typeof found === "string" ? found : take(found, taken);
    if (reason !== undefined) leftOut.push(leftOutTool(tool.name, reason));
    else if (typeof found !== "string") listed.push(found);
  }
  return { listed, leftOut };
}

interface Taken {
  readonly parts: Set<string>;
  readonly names: Set<string>;
  bytes: number;
}

/** Returns why the tool is not taken. */
function take({ part, name, definition }: ListedTool, taken: Taken): string | undefined {
  if (taken.names.has(name)) return "The list has another tool of this name before it.";
  if (taken.parts.has(part)) return "The list has another tool before it whose name for models would be the same.";
  if (taken.bytes + definition.length > maxListBytes)
    return `The definitions of the list may have at most ${maxListBytes} bytes.`;
  taken.bytes += definition.length;
  taken.parts.add(part);
  taken.names.add(name);
  return undefined;
}

/** The reason against a definition that is too long or nested too deeply. */
function listedTool({ name, title, description, inputSchema, outputSchema, annotations }: Tool): ListedTool | string {
  try {
    const parts = { name, title, description, inputSchema, outputSchema, annotations };
    const definition = canonicalJson(parts);
    if (Buffer.byteLength(definition) > maxDefinitionBytes)
      return `The definition must have at most ${maxDefinitionBytes} bytes.`;
    if (levelsOf(definition) > maxLevels) return tooDeep;
    // The numbers of JavaScript are hashed, so that definitions which were accepted before stay accepted.
    const hashed = canonicalJson(withPlainNumbers(parts));
    const definitionHash = createHash("sha256").update(hashed).digest("hex");
    return { name, part: toolPart(name), definition, definitionHash };
  } catch (error) {
    if (error instanceof RangeError) return tooDeep;
    throw error;
  }
}

const tooDeep = `The definition must have at most ${maxLevels} levels.`;

export const readDefinition = (definition: string): ToolDefinition => parseForeignJson(definition) as ToolDefinition;
