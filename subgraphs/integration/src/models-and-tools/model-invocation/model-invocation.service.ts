import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type {
  CompleteRequest,
  CompleteResponse,
  EmbedRequest,
  EmbedResponse,
  StreamChunk,
} from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { Completion } from "../chat-completions/chat-answer.js";
import type { Delta } from "../chat-completions/streamed-answer.js";
import { inputTokens, promptTokens } from "../chat-completions/token-estimate.js";
import { Handoff } from "./handoff.js";
import type { Invoker, ModelCalls } from "./model-calls.js";
import { checkCompletion, checkEmbedding } from "./model-request.js";
import { type ModelVendor, tooLong } from "./model-vendor.js";

/** The rest of a longer stream is not stored. */
const maxKeptCharacters = 1_000_000;

/** The tokens that a budget reserves for an answer whose length the caller does not limit. */
const usualAnswerTokens = 4096;

/** A message has at most 1 MiB, and the other members in an answer are small. */
const maxAnswerBytes = 1_000_000;
/** The tags and lengths in one tool call. */
const bytesPerCall = 16;

/** Completes and embeds through tenants' connections. */
export class ModelInvocationService {
  readonly #calls: ModelCalls;
  readonly #vendor: ModelVendor;

  constructor(calls: ModelCalls, vendor: ModelVendor) {
    this.#calls = calls;
    this.#vendor = vendor;
  }

  /** Throws VALIDATION_FAILED, PAYLOAD_TOO_LARGE, and what `ModelCalls.invoke` throws. */
  async complete(context: RequestContext, request: CompleteRequest, invoker: Invoker): Promise<CompleteResponse> {
    checkCompletion(request);
    const { answer, runId, connectionId } = await this.#calls.invoke(context, invoker, {
      ...{ operation: "CompleteModel", capability: "model.complete", request },
      ...{ promptTokens: promptTokens(request), answerTokens: request.maxTokens ?? usualAnswerTokens },
      contentOf: ({ content, refusal, toolCalls }: Completion) => ({
        ...{ content, toolCalls },
        ...(refusal !== "" && { refusal }),
      }),
      ask: async (call, target) => {
        const completion = await this.#vendor.complete(call, target, request);
        if (bytesOf(completion) > maxAnswerBytes) throw tooLong();
        return completion;
      },
    });
    const { content, refusal, toolCalls, finishReason, usage, model } = answer;
    return { content, refusal, toolCalls: [...toolCalls], finishReason, usage, model, runId, connectionId };
  }

  /** As `complete`. */
  async embed(context: RequestContext, request: EmbedRequest, invoker: Invoker): Promise<EmbedResponse> {
    checkEmbedding(request);
    const { answer, runId, connectionId } = await this.#calls.invoke(context, invoker, {
      ...{ operation: "EmbedModel", capability: "model.embed", request },
      ...{ promptTokens: inputTokens(request), answerTokens: 0 },
      // Vectors can be made again from the request.
      contentOf: () => null,
      ask: async (call, target) => {
        const embeddings = await this.#vendor.embed(call, target, request);
        const numbers = embeddings.vectors.reduce((sum, { length }) => sum + length, 0);
        if (numbers * Float32Array.BYTES_PER_ELEMENT > maxAnswerBytes) throw tooLong();
        return embeddings;
      },
    });
    const embeddings = answer.vectors.map((values) => ({ values: [...values] }));
    return { embeddings, usage: answer.usage, model: answer.model, runId, connectionId };
  }

  /** As `complete`, piece by piece. The vendor is held back while the reader does not take the next piece. */
  async *stream(context: RequestContext, request: CompleteRequest, invoker: Invoker): AsyncGenerator<StreamChunk> {
    checkCompletion(request);
    const pieces = new Handoff<{ readonly delta: Delta; readonly connectionId: string }>();
    const callerEnd = new AbortController();
    let runId = "";
    const keptDeltas: Delta[] = [];
    const work = this.#calls.invoke(
      context,
      {
        signal: AbortSignal.any([invoker.signal, callerEnd.signal]),
        onRun(id) {
          runId = id;
          invoker.onRun(id);
        },
      },
      {
        ...{ operation: "StreamModel", capability: "model.stream", request },
        ...{ promptTokens: promptTokens(request), answerTokens: request.maxTokens ?? usualAnswerTokens },
        contentOf: () => keptDeltas,
        ask: (call, target) =>
          this.#vendor.stream(call, target, request, async (answer, piece) => {
            for (const delta of answer.push(piece)) {
              call.progress.token();
              if (call.keepsContent && answer.characters <= maxKeptCharacters) keptDeltas.push(delta);
              await pieces.put({ delta, connectionId: target.connection.connectionId });
            }
          }),
      },
    );
    const workEnd = work.finally(() => pieces.end());
    workEnd.catch(() => undefined);
    try {
      for await (const { delta, connectionId } of pieces) yield { ...emptyChunk, ...delta, runId, connectionId };
    } finally {
      // The reader has left before the end.
      callerEnd.abort();
      await workEnd.catch(() => undefined);
    }
    const { answer, connectionId } = await workEnd;
    if (answer.usage) yield { ...emptyChunk, usage: answer.usage, runId, connectionId };
  }
}

const bytesOf = ({ content, refusal, toolCalls }: Completion): number =>
  toolCalls.reduce(
    (sum, { id, name, argumentsJson }) => sum + bytesPerCall + Buffer.byteLength(id + name + argumentsJson),
    Buffer.byteLength(content) + Buffer.byteLength(refusal),
  );

const emptyChunk = { delta: "", refusalDelta: "", toolCallDelta: undefined, finishReason: "", usage: undefined };
