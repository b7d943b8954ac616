import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import { type Members, membersOf } from "./json-members.js";

const nameForm = /^[^\p{Cc}\p{Cs}]{1,128}$/u;
/** Deeper ones could exceed their readers' stack. */
export const maxLevels = 64;
const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/**
 * The first reason for which a tool's definition cannot be offered; undefined for one that can. `isFormer`: the server
 * speaks a revision before 2026-07-28, in which tool results are objects.
 */
export function definitionFault(tool: Members, isFormer: boolean): string | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  if (typeof name !== "string" || !nameForm.test(name))
    return "The name must have 1 to 128 characters, none of them a control character.";
  return (
    textFault("title", title) ??
    textFault("description", description) ??
    schemaFault("inputSchema", inputSchema, true) ??
    (outputSchema === undefined ? undefined : schemaFault("outputSchema", outputSchema, isFormer)) ??
    annotationsFault(annotations) ??
    (isDeeper({ inputSchema, outputSchema, annotations }, maxLevels)
      ? `The definition must have at most ${maxLevels} levels.`
      : undefined)
  );
}

function textFault(member: string, value: unknown): string | undefined {
  return value === undefined || typeof value === "string"
    ? undefined
    : `The member ${member} must be a text or absent.`;
}

function schemaFault(member: string, value: unknown, ofObjects: boolean): string | undefined {
  const schema = membersOf(value);
  if (!schema) return `The member ${member} must be a JSON Schema.`;
  const { $schema, type, properties, required } = schema;
  if (ofObjects && type !== "object") return `The member ${member} must have the type "object".`;
  if ($schema !== undefined && typeof $schema !== "string") return `The member $schema of ${member} must be a text.`;
  if (properties !== undefined && !membersOf(properties))
    return `The member properties of ${member} must be an object or absent.`;
  if (required !== undefined && !isTextList(required))
    return `The member required of ${member} must be a list of names or absent.`;
  return undefined;
}

function annotationsFault(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const annotations = membersOf(value);
  if (!annotations) return "The member annotations must be an object or absent.";
  const wrong = hints.find((hint) => annotations[hint] !== undefined && typeof annotations[hint] !== "boolean");
  if (wrong !== undefined) return `The annotation ${wrong} must be true, false or absent.`;
  return textFault("title of annotations", annotations["title"]);
}

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((element) => typeof element === "string");

/** Whether objects and lists are nested deeper. It works without recursion, which a hostile value could exhaust. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= levels) return true;
    level = level
      .flatMap((member) => (typeof member === "object" && member !== null ? Object.values(member) : []))
      .filter(isNested);
  }
  return false;
}

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null && !isKeptNumber(value);
