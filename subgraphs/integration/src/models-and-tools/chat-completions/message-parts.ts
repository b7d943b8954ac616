import { DomainError } from "@factory/runtime/errors/domain-error";
import { type Json, listOf, objectOf, textOf } from "./json-members.js";

/** The parts in a model's message, whole or streamed, in the forms that vendors document. */
interface MessageParts {
  readonly content: string;
  /** The text with which the model refuses to answer. */
  readonly refusal: string;
  readonly calls: readonly CallParts[];
  /** Whether the message has a text, although it may be empty. */
  readonly hasText: boolean;
}

/** A tool call, or a piece of one. */
export interface CallParts {
  readonly index: unknown;
  readonly id: string;
  readonly name: string;
  /** A text, or the arguments themselves. */
  readonly arguments: unknown;
}

/** Parts that are no answer: what a model thinks, and where it found something. */
const silentParts: readonly string[] = ["thinking", "reasoning", "redacted_thinking", "reference"];
const textParts: readonly string[] = ["text", "output_text"];

/** Throws MODEL_ANSWER_NOT_UNDERSTOOD for another form, since it would be lost in part. */
export function messagePartsOf(message: Json): MessageParts {
  const { content, refusal, tool_calls: calls, function_call: formerCall } = message;
  const contents = contentsOf(content);
  const refusals = contents.flatMap((part) => ("refusal" in part ? [part.refusal] : []));
  const texts = contents.flatMap((part) => ("text" in part ? [part.text] : []));
  return {
    content: texts.join(""),
    refusal: [...refusals, ...optionalText(refusal)].join(""),
    calls: [...optionalList(calls).map(callOf), ...(isAbsent(formerCall) ? [] : [formerCallOf(formerCall)])],
    hasText: texts.length > 0,
  };
}

type ContentPart = { readonly text: string } | { readonly refusal: string };

function contentsOf(content: unknown): ContentPart[] {
  if (isAbsent(content)) return [];
  if (typeof content === "string") return [{ text: content }];
  return [content].flat().flatMap((part: unknown): ContentPart[] => {
    if (typeof part === "string") return [{ text: part }];
    const { type, text, refusal } = objectOf(part);
    if (typeof type === "string" && silentParts.includes(type)) return [];
    if (typeof type === "string" && textParts.includes(type) && typeof text === "string") return [{ text }];
    if (type === "refusal" && typeof refusal === "string") return [{ refusal }];
    throw notUnderstood("a part of its content");
  });
}

function callOf(value: unknown): CallParts {
  const { index, id, type, function: calledFunction } = objectOf(value);
  const { name, arguments: callArguments } = objectOf(calledFunction);
  const isFunction = isAbsent(type) || type === "" || type === "function";
  if (!isFunction) throw notUnderstood("a call of a tool");
  return { index, id: textOf(id), name: textOf(name), arguments: callArguments };
}

/** The form before calls had ids. There is one at most. */
function formerCallOf(value: unknown): CallParts {
  const { name, arguments: callArguments } = objectOf(value);
  return { index: 0, id: "", name: textOf(name), arguments: callArguments };
}

/** The arguments as JSON text. */
export function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (isAbsent(value)) return "";
  try {
    return JSON.stringify(value);
  } catch {
    throw notUnderstood("the arguments of a call");
  }
}

/** Whether a call has its arguments as JSON and not as a text. Their numbers must then keep their texts. */
export const hasJsonArguments = ({ calls }: MessageParts): boolean =>
  calls.some(({ arguments: callArguments }) => typeof callArguments !== "string" && !isAbsent(callArguments));

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

function optionalText(value: unknown): string[] {
  if (isAbsent(value)) return [];
  if (typeof value === "string") return [value];
  throw notUnderstood("its refusal");
}

function optionalList(value: unknown): readonly unknown[] {
  if (isAbsent(value) || Array.isArray(value)) return listOf(value);
  throw notUnderstood("its calls of tools");
}

/**
 * The refusal for an answer that the vendor has given and the platform cannot read. It repeats nothing from the answer.
 */
export const notUnderstood = (member: string) =>
  new DomainError("MODEL_ANSWER_NOT_UNDERSTOOD", {
    detail: `The model has answered, and the platform does not know the form of ${member}. The answer is not handed over in part.`,
  });

/** The reasons with which an answer may have no text. */
const emptyReasons: readonly string[] = ["length", "content_filter"];

/** Throws MODEL_ANSWER_NOT_UNDERSTOOD for an answer in which nothing was understood: it is not a success. */
export function requireSomething(hasSomething: boolean, finishReason: string): void {
  if (!hasSomething && !emptyReasons.includes(finishReason)) throw notUnderstood("its message");
}
