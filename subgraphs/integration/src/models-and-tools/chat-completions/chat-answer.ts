import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ToolCall, Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { countOf, type Json, listOf, objectOf, parsedExactly, parsedJsonBody, textOf } from "./json-members.js";
import { argumentsOf, hasJsonArguments, messagePartsOf, notUnderstood, requireSomething } from "./message-parts.js";

/** A model's whole answer. */
export interface Completion {
  readonly content: string;
  /** The text with which the model refuses to answer. */
  readonly refusal: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  /** Undefined when the vendor did not tell. */
  readonly usage: Usage | undefined;
  readonly model: string;
}

/** Reasons are told in events and runs, so a text in another form is not repeated. */
const word = /^[a-z][a-z_]{0,39}$/;

/** The reason as vendors name it; `other` for a text in another form. */
export function finishReasonOf(value: unknown): string {
  const reason = textOf(value);
  return reason === "" || word.test(reason) ? reason : "other";
}

/** No call uses more. A vendor that tells a higher number is not believed, since budgets are settled by it. */
const maxTokens = 100_000_000;

const tokensOf = (value: unknown): number | undefined => {
  const count = countOf(value);
  return count !== undefined && count <= maxTokens ? count : undefined;
};

/** The token counts; undefined when the answer has none. */
export function usageOf(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const promptTokens = tokensOf(usage["prompt_tokens"]);
  if (promptTokens === undefined) return undefined;
  const completionTokens = tokensOf(usage["completion_tokens"]) ?? 0;
  return {
    promptTokens,
    completionTokens,
    totalTokens: tokensOf(usage["total_tokens"]) ?? promptTokens + completionTokens,
    cachedTokens: tokensOf(objectOf(usage["prompt_tokens_details"])["cached_tokens"]) ?? 0,
  };
}

/**
 * Reads the answer to `POST /chat/completions`. Throws UPSTREAM_FAILED for one that is not in this form, and
 * MODEL_ANSWER_NOT_UNDERSTOOD for one with a member in another form.
 */
export function parseCompletion(body: Buffer): Completion {
  const answer = parsedJsonBody(body);
  if (answer) requireNoError(answer);
  const choice = choiceOf(answer);
  if (!answer || !isMessage(choice["message"])) throw unreadable();
  const parts = messagePartsOf(objectOf(choice["message"]));
  const { calls } = hasJsonArguments(parts)
    ? messagePartsOf(objectOf(choiceOf(parsedExactly(body.toString("utf8")))["message"]))
    : parts;
  const finishReason = finishReasonOf(choice["finish_reason"]);
  if (calls.some(({ name }) => name === "")) throw notUnderstood("a call of a tool");
  requireSomething(parts.hasText || parts.refusal !== "" || calls.length > 0, finishReason);
  return {
    content: parts.content,
    refusal: parts.refusal,
    toolCalls: calls.map(({ id, name, arguments: callArguments }) => ({
      id,
      name,
      argumentsJson: argumentsOf(callArguments),
    })),
    finishReason,
    usage: usageOf(answer["usage"]),
    model: textOf(answer["model"]).slice(0, 200),
  };
}

const choiceOf = (answer: Json | undefined): Json => objectOf(listOf(answer?.["choices"])[0]);

const isMessage = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Throws UPSTREAM_FAILED where the answer, or a streamed piece, has an error member. */
export function requireNoError(answer: Json): void {
  const errors = [answer["error"], choiceOf(answer)["error"]];
  if (errors.every((error) => error === undefined || error === null)) return;
  throw new DomainError("UPSTREAM_FAILED", { detail: "The vendor reported an error inside of its answer." });
}

/** The refusal for an answer that has another form. It repeats nothing from the answer. */
export const unreadable = () =>
  new DomainError("UPSTREAM_FAILED", { detail: "The vendor's answer is not an answer of a model." });
