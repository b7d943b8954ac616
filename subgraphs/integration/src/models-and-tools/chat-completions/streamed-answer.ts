import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ToolCallDelta, Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { finishReasonOf, requireNoError, unreadable, usageOf } from "./chat-answer.js";
import { EventStreamParser } from "./event-stream.js";
import { countOf, type Json, listOf, objectOf, parsedExactly, parsedObject, textOf } from "./json-members.js";
import {
  argumentsOf,
  type CallParts,
  hasJsonArguments,
  messagePartsOf,
  notUnderstood,
  requireSomething,
} from "./message-parts.js";

/** A piece of an answer. Each has exactly one member. */
export interface Delta {
  readonly delta?: string;
  readonly refusalDelta?: string;
  readonly toolCallDelta?: ToolCallDelta;
  readonly finishReason?: string;
}

const endOfStream = "[DONE]";
const maxToolCalls = 1024;

/** Reads the streamed answer to `POST /chat/completions`. */
export class StreamedAnswer {
  readonly #events = new EventStreamParser();
  #isDone = false;
  #finishReason = "";
  #model = "";
  #usage: Usage | undefined;
  #characters = 0;
  #hasSomething = false;
  /** The body's first character after spaces. */
  #first: string | undefined;

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

  /** The length that texts and arguments have so far, for an estimate of their tokens. */
  get characters(): number {
    return this.#characters;
  }

  /**
   * The deltas that end in this piece of the body. Throws UPSTREAM_FAILED for one that cannot be read, after the deltas
   * before it.
   */
  *push(piece: Uint8Array): Generator<Delta, void> {
    this.#first ??= firstOf(piece);
    for (const data of this.#events.push(piece)) yield* this.#deltas(data);
  }

  /** Throws UPSTREAM_FAILED when the body ended before the answer did, and MODEL_ANSWER_NOT_UNDERSTOOD for one without anything. */
  requireEnd(): void {
    if (this.#first === "{") throw notUnderstood("its stream, which is a whole answer");
    if (!this.#isDone && this.#finishReason === "")
      throw new DomainError("UPSTREAM_FAILED", { detail: "The vendor ended the stream before the end of the answer." });
    requireSomething(this.#hasSomething, this.#finishReason);
  }

  *#deltas(data: string): Generator<Delta, void> {
    // Some vendors send more after the end, which has no meaning. Without data an event keeps the connection alive.
    if (this.#isDone || data.trim() === "") return;
    if (data === endOfStream) {
      this.#isDone = true;
      return;
    }
    const chunk = parsedObject(data);
    if (!chunk) throw unreadable();
    if (this.#model === "") this.#model = textOf(chunk["model"]).slice(0, 200);
    // Some vendors tell the usage so far with each piece; the last one counts.
    this.#usage = usageOf(chunk["usage"]) ?? this.#usage;
    yield* this.#choiceDeltas(chunk, data);
    requireNoError(chunk);
  }

  *#choiceDeltas(chunk: Json, data: string): Generator<Delta, void> {
    const choice = choiceOf(chunk);
    const parts = messagePartsOf(messageOf(choice));
    const { calls } = hasJsonArguments(parts) ? messagePartsOf(messageOf(choiceOf(parsedExactly(data)))) : parts;
    const { content, refusal } = parts;
    this.#hasSomething ||= parts.hasText || refusal !== "" || calls.length > 0;
    const deltas = calls.map(toolCallDelta);
    this.#characters += content.length + refusal.length + deltas.reduce((sum, call) => sum + lengthOf(call), 0);
    if (content !== "") yield { delta: content };
    if (refusal !== "") yield { refusalDelta: refusal };
    for (const delta of deltas) yield { toolCallDelta: delta };
    const reason = finishReasonOf(choice["finish_reason"]);
    if (reason === "") return;
    this.#finishReason = reason;
    yield { finishReason: reason };
  }
}

const firstOf = (piece: Uint8Array): string | undefined => Buffer.from(piece).toString("latin1").trimStart()[0];

const choiceOf = (chunk: Json): Json => objectOf(listOf(chunk["choices"])[0]);

/** A piece of the message, or the whole message from a vendor that sends it so. */
const messageOf = (choice: Json): Json => objectOf(choice["delta"] ?? choice["message"]);

function toolCallDelta(call: CallParts, place: number): ToolCallDelta {
  const index = countOf(call.index) ?? place;
  if (index >= maxToolCalls) throw unreadable();
  return { index, id: call.id, name: call.name, argumentsJson: argumentsOf(call.arguments) };
}

const lengthOf = ({ name, argumentsJson }: ToolCallDelta): number => name.length + argumentsJson.length;
