import { createHash } from "node:crypto";
import { canonicalJson } from "@factory/runtime/identifiers/canonical-json";
import type { Tool } from "@modelcontextprotocol/client";
import { levelsOf } from "./json-levels.js";
import { toolPart } from "./qualified-name.js";

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
/** Deeper ones could exceed the stack of whoever reads them. */
const maxLevels = 64;
const maxListBytes = 2 * 1024 * 1024;
const nameForm = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

/** The tools of a list that the platform takes: their names differ, and they are within its limits. */
export function listedTools(tools: readonly Tool[]): ListedTool[] {
  const listed: ListedTool[] = [];
  const parts = new Set<string>();
  const names = new Set<string>();
  let bytes = 0;
  for (const tool of tools) {
    const found = listed.length < maxTools && nameForm.test(tool.name) ? listedTool(tool) : undefined;
    if (!found || parts.has(found.part) || names.has(found.name)) continue;
    bytes += found.definition.length;
    if (bytes > maxListBytes) break;
    parts.add(found.part);
    names.add(found.name);
    listed.push(found);
  }
  return listed;
}

/** Undefined for a definition that is too long or nested too deeply. */
function listedTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Tool): ListedTool | undefined {
  try {
    const definition = canonicalJson({ name, title, description, inputSchema, outputSchema, annotations });
    if (Buffer.byteLength(definition) > maxDefinitionBytes || levelsOf(definition) > maxLevels) return undefined;
    const definitionHash = createHash("sha256").update(definition).digest("hex");
    return { name, part: toolPart(name), definition, definitionHash };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const readDefinition = (definition: string): ToolDefinition => JSON.parse(definition) as ToolDefinition;
