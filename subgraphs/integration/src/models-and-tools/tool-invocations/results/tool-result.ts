import { storableText } from "@factory/runtime/input-validation/storable-text";
import { membersOf } from "../server-calls/json-members.js";

/** How a result departs from the protocol or from its tool's definition. */
interface ResultFinding {
  readonly code: "CONTENT_FORM" | "STRUCTURED_CONTENT_MISSING" | "RESULT_FORM" | "TOO_LARGE";
  readonly detail: string;
}

/** A tool's result. It is handed over whatever its form is, since the tool has run. */
export interface ToolResult {
  readonly contentJson: string;
  readonly structuredJson: string;
  readonly isError: boolean;
  readonly findings: readonly ResultFinding[];
}

/** Below the largest gRPC message. */
const maxResultBytes = 900 * 1024;
const maxFindings = 20;

const textMembers: Readonly<Record<string, readonly string[] | undefined>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["uri", "name"],
  resource: [],
};

/** `hasOutputSchema`: the tool's definition promises structured content. */
export function toolResult(value: unknown, hasOutputSchema: boolean): ToolResult {
  const result = membersOf(value);
  if (!result)
    return {
      ...{ contentJson: jsonWithin([value], maxResultBytes) ?? "[]", structuredJson: "", isError: false },
      findings: [
        { code: "RESULT_FORM", detail: "The result is not an object. It is the only element of the content." },
      ],
    };
  const { content, structuredContent, isError, resultType } = result;
  const findings: ResultFinding[] = [];
  if (resultType !== undefined && resultType !== "complete")
    findings.push({
      code: "RESULT_FORM",
      detail: "The member resultType has a value that the protocol does not document.",
    });
  if (isError !== undefined && typeof isError !== "boolean")
    findings.push({ code: "RESULT_FORM", detail: "The member isError is neither true nor false." });
  const blocks = blocksOf(content, structuredContent !== undefined, findings);
  const hasFailed = isError === true || isError === "true";
  if (hasOutputSchema && structuredContent === undefined && !hasFailed)
    findings.push({
      code: "STRUCTURED_CONTENT_MISSING",
      detail: "The definition of the tool has an output schema, and the result has no structured content.",
    });
  return {
    ...within(blocks, structuredContent, findings),
    isError: hasFailed,
    findings: findings.slice(0, maxFindings),
  };
}

function blocksOf(content: unknown, isStructured: boolean, findings: ResultFinding[]): readonly unknown[] {
  if (Array.isArray(content)) {
    for (const [place, block] of content.entries())
      if (!isDocumented(block) && findings.length < maxFindings)
        findings.push({
          code: "CONTENT_FORM",
          detail: `The block ${place} has a form that the protocol does not document.`,
        });
    return content;
  }
  // Structured content alone is complete.
  if (content === undefined && isStructured) return [];
  findings.push({ code: "CONTENT_FORM", detail: "The content of the result is not a list." });
  return content === undefined || content === null ? [] : [content];
}

function isDocumented(value: unknown): boolean {
  const block = membersOf(value);
  const type = block?.["type"];
  const members = typeof type === "string" && Object.hasOwn(textMembers, type) ? textMembers[type] : undefined;
  if (!block || !members) return false;
  const isWhole = members.every((member) => typeof block[member] === "string");
  return isWhole && (type !== "resource" || membersOf(block["resource"]) !== undefined);
}

/** The parts that fit into one message: structured content first, then blocks in their order. */
function within(
  blocks: readonly unknown[],
  structuredContent: unknown,
  findings: ResultFinding[],
): Pick<ToolResult, "contentJson" | "structuredJson"> {
  const structuredJson = structuredContent === undefined ? "" : jsonWithin(structuredContent, maxResultBytes);
  let room = maxResultBytes - 2 - Buffer.byteLength(structuredJson ?? "");
  let isWhole = structuredJson !== undefined;
  const keptBlocks: string[] = [];
  for (const block of blocks) {
    const json = jsonWithin(block, room);
    isWhole &&= json !== undefined;
    const part = json ?? cutText(block, room);
    if (part === undefined) continue;
    keptBlocks.push(part);
    room -= Buffer.byteLength(part) + 1;
  }
  if (!isWhole)
    findings.unshift({
      code: "TOO_LARGE",
      detail: `The result is larger than ${maxResultBytes} bytes, or nested too deeply. Parts of it were left out.`,
    });
  return { contentJson: `[${keptBlocks.join(",")}]`, structuredJson: structuredJson ?? "" };
}

/** The JSON text; undefined for one that is too long or nested too deeply. */
function jsonWithin(value: unknown, maxBytes: number): string | undefined {
  try {
    const json = JSON.stringify(value ?? null);
    return Buffer.byteLength(json) <= maxBytes ? json : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The beginning of a text block that fits; undefined for other blocks, and without room. */
function cutText(value: unknown, room: number): string | undefined {
  const { type, text } = membersOf(value) ?? {};
  if (type !== "text" || typeof text !== "string") return undefined;
  for (let length = Math.min(text.length, room); length > 0; length = Math.floor(length * 0.8)) {
    const json = jsonWithin({ type, text: storableText(text.slice(0, length)) }, room);
    if (json !== undefined) return json;
  }
  return undefined;
}
