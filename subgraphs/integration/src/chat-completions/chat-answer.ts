import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ToolCall, Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { countOf, type Json, listOf, objectOf, parsedBody, textOf } from "./json-members.js";

/** A whole answer of a model. */
export interface Completion {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  /** Undefined when the vendor did not tell. */
  readonly usage: Usage | undefined;
  readonly model: string;
}

/** Reasons are told in events and runs, so a text of another form is not repeated. */
const word = /^[a-z][a-z_]{0,39}$/;

/** The reason as vendors name it; `other` for a text of another form. */
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

/** The counts of tokens; undefined when the answer has none. */
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

/** Reads the answer of `POST /chat/completions`. Throws UPSTREAM_FAILED for one that is not of this form. */
export function parseCompletion(body: Buffer): Completion {
  const answer = parsedBody(body);
  const choice = objectOf(listOf(answer?.["choices"])[0]);
  const message = choice["message"];
  if (!answer || typeof message !== "object" || message === null) throw unreadable();
  const { content, tool_calls: calls } = objectOf(message);
  return {
    content: textOf(content),
    toolCalls: listOf(calls).map(toolCallOf),
    finishReason: finishReasonOf(choice["finish_reason"]),
    usage: usageOf(answer["usage"]),
    model: textOf(answer["model"]).slice(0, 200),
  };
}

function toolCallOf(value: unknown): ToolCall {
  const call: Json = objectOf(value);
  const { name, arguments: given } = objectOf(call["function"]);
  return { id: textOf(call["id"]), name: textOf(name), argumentsJson: textOf(given) };
}

/** The refusal for an answer that has another form. It repeats no part of the answer. */
export const unreadable = () =>
  new DomainError("UPSTREAM_FAILED", { detail: "The vendor's answer is not an answer of a model." });
