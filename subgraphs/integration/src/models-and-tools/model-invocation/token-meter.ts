import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { answerTokens } from "../chat-completions/token-estimate.js";

/** Estimates the tokens that a vendor has counted for one call, in case that it does not tell. */
export class TokenMeter {
  readonly #promptTokens: number;
  #hasAnswered = false;
  /** The answer's length so far. */
  characters = 0;
  /** As the vendor has told it. */
  usage: Usage | undefined;

  constructor(promptTokens: number) {
    this.#promptTokens = promptTokens;
  }

  /** The vendor has begun a success. */
  answered(): void {
    this.#hasAnswered = true;
  }

  /** The tokens in an answer. */
  used(): number {
    return this.usage?.totalTokens ?? this.#promptTokens + answerTokens(this.characters);
  }

  /** The tokens for a failure: none when the vendor refused; undefined when it may have worked without telling. */
  usedBy(error: unknown, isCancelled: boolean): number | undefined {
    if (this.usage || this.characters > 0) return this.used();
    const isRefused = error instanceof DomainError && error.code !== "UPSTREAM_TIMEOUT" && !isCancelled;
    return isRefused && !this.#hasAnswered ? 0 : undefined;
  }
}
