import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type {
  CompleteRequest,
  EmbedRequest,
  Fallback,
  Message,
  Tool,
} from "@factory/schema/proto/generated/factory/model/v1/model_invocation";

const roles: readonly string[] = ["system", "developer", "user", "assistant", "tool"];
const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const maxMessages = 1000;
const maxTools = 128;
const maxToolCalls = 128;
const maxStops = 4;
const maxInputs = 2048;

/** Throws VALIDATION_FAILED for a request that no vendor could answer. */
export function checkCompletion(request: CompleteRequest): void {
  const { messages, tools, toolChoice, stop } = request;
  const checks = new FieldChecks();
  checkTarget(checks, request);
  checks.require(
    messages.length > 0 && messages.length <= maxMessages,
    "/messages",
    `There must be 1 to ${maxMessages} messages.`,
  );
  for (const [place, message] of messages.entries()) checkMessage(checks, message, `/messages/${place}`);
  checks.require(tools.length <= maxTools, "/tools", `There must be at most ${maxTools} tools.`);
  for (const [place, tool] of tools.entries()) checkTool(checks, tool, `/tools/${place}`);
  const choices = ["", "auto", "none", "required", ...tools.map(({ name }) => name)];
  checks.require(
    choices.includes(toolChoice),
    "/toolChoice",
    "The value must be auto, none, required, or the name of one of the tools.",
  );
  checks.require(isWithin(request.maxTokens, 1, 1_000_000), "/maxTokens", "The value must be 1 to 1000000.");
  checks.require(isWithin(request.temperature, 0, 2), "/temperature", "The value must be 0 to 2.");
  checks.require(isWithin(request.topP, 0, 1), "/topP", "The value must be 0 to 1.");
  checks.require(
    stop.length <= maxStops && stop.every((text) => text !== "" && text.length <= 200),
    "/stop",
    `There must be at most ${maxStops} texts of 1 to 200 characters.`,
  );
  checks.requireSchema(request.responseSchemaJson, "/responseSchemaJson");
  checks.done();
}

/** Throws VALIDATION_FAILED for a request that no vendor could answer. */
export function checkEmbedding(request: EmbedRequest): void {
  const { inputs } = request;
  const checks = new FieldChecks();
  checkTarget(checks, request);
  checks.require(inputs.length > 0 && inputs.length <= maxInputs, "/inputs", `There must be 1 to ${maxInputs} inputs.`);
  for (const [place, input] of inputs.entries())
    checks.require(input !== "", `/inputs/${place}`, "The input must not be empty.");
  checks.require(isWithin(request.dimensions, 1, 8192), "/dimensions", "The value must be 1 to 8192.");
  checks.done();
}

interface Targeted {
  readonly connectionId: string;
  readonly model: string;
  readonly fallback?: Fallback | undefined;
}

function checkTarget(checks: FieldChecks, { connectionId, model, fallback }: Targeted): void {
  const nameRule = "The value must be 1 to 200 characters, none of them a control character.";
  checks.require(connectionId !== "", "/connectionId", "This member is required.");
  checks.require(isName(model, 200), "/model", nameRule);
  if (!fallback) return;
  checks.require(fallback.connectionId !== "", "/fallback/connectionId", "This member is required.");
  checks.require(fallback.model === "" || isName(fallback.model, 200), "/fallback/model", nameRule);
  checks.require(isWithin(fallback.afterMs, 100, 240_000), "/fallback/afterMs", "The value must be 100 to 240000.");
}

function checkMessage(checks: FieldChecks, { role, toolCalls, toolCallId, name }: Message, pointer: string): void {
  checks.require(roles.includes(role), `${pointer}/role`, `The role must be one of: ${roles.join(", ")}.`);
  checks.require(
    toolCalls.length <= (role === "assistant" ? maxToolCalls : 0),
    `${pointer}/toolCalls`,
    `A message of the role assistant may have at most ${maxToolCalls} calls, and others none.`,
  );
  checks.require(
    (role === "tool") === (toolCallId !== ""),
    `${pointer}/toolCallId`,
    "A message of the role tool names the call that it answers, and others name none.",
  );
  checks.require(name === "" || isName(name, 64), `${pointer}/name`, "The name has at most 64 characters.");
}

function checkTool(checks: FieldChecks, { name, parametersJson }: Tool, pointer: string): void {
  checks.require(toolName.test(name), `${pointer}/name`, "The name must be 1 to 64 letters, digits, _ and -.");
  checks.requireSchema(parametersJson, `${pointer}/parametersJson`);
}

/** A schema that is nested deeper could exhaust the stack when it is written as JSON. */
const maxDepth = 64;

/**
 * Collects what is wrong with a request, for one refusal that names all problems. No value in the request is repeated.
 */
class FieldChecks {
  readonly #errors: FieldError[] = [];

  /** `pointer` is an RFC 6901 pointer into the request. */
  require(isRight: boolean, pointer: string, detail: string): void {
    // A refusal lists some faults; a hostile request may have thousands.
    if (!isRight && this.#errors.length < 20) this.#errors.push({ pointer, code: "INVALID", detail });
  }

  /** A JSON object with some depth at most, as a schema is. */
  requireSchema(text: string, pointer: string): void {
    if (text !== "") this.require(isFlatObject(text), pointer, "The value must be a JSON Schema as an object.");
  }

  /** Throws VALIDATION_FAILED when something is wrong. */
  done(): void {
    if (this.#errors.length === 0) return;
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The request is not valid. The list of errors names each member that is wrong.",
      errors: this.#errors,
    });
  }
}

/** Whether an optional number is absent or within the limits. */
const isWithin = (value: number | undefined, from: number, to: number): boolean =>
  value === undefined || (value >= from && value <= to);

/** Whether a text has so many characters, and no control character among them. */
const isName = (text: string, max: number): boolean =>
  text !== "" && text.length <= max && !/[\p{Cc}\p{Cs}]/u.test(text);

function isFlatObject(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((member) => (typeof member === "object" && member !== null ? Object.values(member) : []));
  }
  return true;
}
