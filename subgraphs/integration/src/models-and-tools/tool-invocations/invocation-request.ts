import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { isKeptNumber, parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { levelsOf } from "./json-levels.js";

/** A request to invoke a tool whose members have been checked. */
export interface Invocation {
  readonly connectionId: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const maxArgumentBytes = 256 * 1024;
const maxLevels = 32;
const nameForm = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

/** Throws VALIDATION_FAILED with a pointer to each member that is wrong. */
export function checkedInvocation(request: {
  readonly connectionId: string;
  readonly name: string;
  readonly argumentsJson: string;
}): Invocation {
  const { connectionId, name, argumentsJson } = request;
  const errors: FieldError[] = [];
  if (connectionId === "")
    errors.push({ pointer: "/connectionId", code: "REQUIRED", detail: "This member is required." });
  if (!nameForm.test(name))
    errors.push({
      pointer: "/name",
      code: "FORMAT",
      detail: "The name of a tool has 1 to 128 characters, none of them a control character.",
    });
  const toolArguments = argumentsJson === "" ? {} : readArguments(argumentsJson);
  if (toolArguments === undefined)
    errors.push({
      pointer: "/argumentsJson",
      code: "FORMAT",
      detail: `The arguments must be a JSON object of at most ${maxArgumentBytes} bytes and ${maxLevels} levels.`,
    });
  if (errors.length > 0 || toolArguments === undefined)
    throw new DomainError("VALIDATION_FAILED", { detail: "The call of the tool is not valid. See errors.", errors });
  return { connectionId, name, arguments: toolArguments };
}

function readArguments(text: string): Record<string, unknown> | undefined {
  if (Buffer.byteLength(text) > maxArgumentBytes || levelsOf(text) > maxLevels) return undefined;
  try {
    const value = parseForeignJson(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);
    return isObject ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
