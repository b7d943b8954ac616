import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ToolCallDelta, Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { finishReasonOf, unreadable, usageOf } from "./chat-answer.js";
import { EventStreamParser } from "./event-stream.js";
import { countOf, type Json, listOf, objectOf, parsedObject, textOf } from "./json-members.js";

/** A piece of an answer. Each has one of the members. */
export interface Delta {
  readonly delta?: string;
  readonly toolCallDelta?: ToolCallDelta;
  readonly finishReason?: string;
}

const endOfStream = "[DONE]";
const maxToolCalls = 1024;

/** Reads the streamed answer of `POST /chat/completions`. */
export class StreamedAnswer {
  readonly #events = new EventStreamParser();
  #isDone = false;
  #finishReason = "";
  #model = "";
  #usage: Usage | undefined;
  #characters = 0;

  /** The reason for the end, which the pieces so far have told. */
  get finishReason(): string {
    return this.#finishReason;
  }

  get model(): string {
    return this.#model;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** The length of the texts and arguments so far, for an estimate of their tokens. */
  get characters(): number {
    return this.#characters;
  }

  /** The deltas that end in this piece of the body. Throws UPSTREAM_FAILED for one that cannot be read. */
  push(piece: Uint8Array): Delta[] {
    return this.#events.push(piece).flatMap((data) => this.#deltas(data));
  }

  /** Throws UPSTREAM_FAILED when the body ended before the answer did. */
  requireEnd(): void {
    if (this.#isDone || this.#finishReason !== "") return;
    throw new DomainError("UPSTREAM_FAILED", { detail: "The vendor ended the stream before the end of the answer." });
  }

  #deltas(data: string): Delta[] {
    // Some vendors send more after the end, which has no meaning.
    if (this.#isDone) return [];
    if (data === endOfStream) {
      this.#isDone = true;
      return [];
    }
    const chunk = parsedObject(data);
    if (!chunk) throw unreadable();
    if (chunk["error"] !== undefined && chunk["error"] !== null)
      throw new DomainError("UPSTREAM_FAILED", { detail: "The vendor reported an error inside of its answer." });
    if (this.#model === "") this.#model = textOf(chunk["model"]).slice(0, 200);
    // Some vendors tell the usage so far with each piece; the last one counts.
    this.#usage = usageOf(chunk["usage"]) ?? this.#usage;
    return this.#choiceDeltas(objectOf(listOf(chunk["choices"])[0]));
  }

  #choiceDeltas(choice: Json): Delta[] {
    const { content, tool_calls: calls } = objectOf(choice["delta"]);
    const deltas: Delta[] = [];
    const text = textOf(content);
    if (text !== "") deltas.push({ delta: text });
    for (const call of listOf(calls)) deltas.push({ toolCallDelta: toolCallDelta(call) });
    this.#characters += text.length + deltas.reduce((sum, { toolCallDelta: call }) => sum + lengthOf(call), 0);
    const reason = finishReasonOf(choice["finish_reason"]);
    if (reason !== "") {
      this.#finishReason = reason;
      deltas.push({ finishReason: reason });
    }
    return deltas;
  }
}

function toolCallDelta(value: unknown): ToolCallDelta {
  const call = objectOf(value);
  const { name, arguments: given } = objectOf(call["function"]);
  const index = countOf(call["index"]) ?? 0;
  if (index >= maxToolCalls) throw unreadable();
  return { index, id: textOf(call["id"]), name: textOf(name), argumentsJson: textOf(given) };
}

const lengthOf = (call: ToolCallDelta | undefined): number =>
  call === undefined ? 0 : call.name.length + call.argumentsJson.length;
