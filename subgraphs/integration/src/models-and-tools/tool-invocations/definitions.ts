import { createHash } from "node:crypto";
import { canonicalJson } from "@factory/runtime/identifiers/canonical-json";
import { parseForeignJson, withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { Tool } from "@modelcontextprotocol/client";
import { levelsOf } from "./json-levels.js";
import { toolPart } from "./qualified-name.js";
import { maxLevels } from "./server-calls/definition-fault.js";
import { type LeftOutTool, leftOutTool } from "./server-calls/left-out-tool.js";

/** A tool's definition as its hash covers it: what a model is told about the tool. */
export type ToolDefinition = Pick<
  Tool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>;

/** A tool in a server's list. */
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

/** A list as the platform takes it: its tools have different names, and they are within its limits. */
export interface TakenList {
  readonly listed: readonly ListedTool[];
  readonly leftOut: readonly LeftOutTool[];
}

export function takenList(tools: readonly Tool[]): TakenList {
  const listedTools: ListedTool[] = [];
  const leftOut: LeftOutTool[] = [];
  const usage: Taken = { parts: new Set(), names: new Set(), bytes: 0 };
  for (const tool of tools) {
    const toolOrReason =
      listedTools.length < maxTools ? listedTool(tool) : `The list may have at most ${maxTools} tools.`;
    const reason = typeof toolOrReason === "string" ? toolOrReason : take(toolOrReason, usage);
    if (reason !== undefined) leftOut.push(leftOutTool(tool.name, reason));
    else if (typeof toolOrReason !== "string") listedTools.push(toolOrReason);
  }
  return { listed: listedTools, leftOut };
}

interface Taken {
  readonly parts: Set<string>;
  readonly names: Set<string>;
  bytes: number;
}

/** Returns why the tool is not taken. */
function take({ part, name, definition }: ListedTool, usage: Taken): string | undefined {
  if (usage.names.has(name)) return "The list has another tool of this name before it.";
  if (usage.parts.has(part)) return "The list has another tool before it whose name for models would be the same.";
  if (usage.bytes + definition.length > maxListBytes)
    return `The definitions of the list may have at most ${maxListBytes} bytes.`;
  usage.bytes += definition.length;
  usage.parts.add(part);
  usage.names.add(name);
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
    // JavaScript's numbers are hashed, so that definitions which were accepted before stay accepted.
    const hashedText = canonicalJson(withPlainNumbers(parts));
    const definitionHash = createHash("sha256").update(hashedText).digest("hex");
    return { name, part: toolPart(name), definition, definitionHash };
  } catch (error) {
    if (error instanceof RangeError) return tooDeep;
    throw error;
  }
}

const tooDeep = `The definition must have at most ${maxLevels} levels.`;

export const readDefinition = (definition: string): ToolDefinition => parseForeignJson(definition) as ToolDefinition;
