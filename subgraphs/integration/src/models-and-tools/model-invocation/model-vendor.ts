import type { TakeBody } from "@factory/runtime/egress/response-body";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { CompleteRequest, EmbedRequest } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { PreparedReads, VendorResponse } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import { type Completion, parseCompletion } from "../chat-completions/chat-answer.js";
import { chatBody, embeddingBody } from "../chat-completions/chat-request.js";
import { type Embeddings, parseEmbeddings } from "../chat-completions/embedding-answer.js";
import { refusedAnswer } from "../chat-completions/refused-answer.js";
import { StreamedAnswer } from "../chat-completions/streamed-answer.js";
import type { ModelTarget } from "./model-targets.js";
import type { Progress } from "./model-tries.js";
import type { TokenMeter } from "./token-meter.js";

/** The call for which a vendor is asked. */
export interface ModelCall {
  readonly tenant: Tenant;
  readonly cause: Cause;
  readonly runId: string;
  readonly signal: AbortSignal;
  /** Milliseconds on the monotonic clock. The first model and its fallback share the call's time. */
  readonly deadline: number;
  readonly progress: Progress;
  readonly meter: TokenMeter;
  /** Whether the tenant keeps prompts and answers. */
  readonly keepsContent: boolean;
  readonly prepared: PreparedReads | undefined;
}

type TakeAnswer = (answer: StreamedAnswer, piece: Buffer) => Promise<void>;

/** Asks vendors through the one door for calls, in the chat completion form that most model vendors speak. */
export class ModelVendor {
  readonly #calls: VendorCalls;

  constructor(calls: VendorCalls) {
    this.#calls = calls;
  }

  async complete(call: ModelCall, target: ModelTarget, request: CompleteRequest): Promise<Completion> {
    const body = chatBody(request, target.model, { isStreamed: false, maxTokensMember: maxTokensMember(target) });
    const answer = bodyOf(call, await this.#post(call, target, "/chat/completions", body));
    // An answer that cannot be read is paid for, too.
    call.meter.characters = answer.length;
    const completion = parseCompletion(answer);
    const { content, refusal, toolCalls, usage } = completion;
    call.meter.usage = usage;
    call.meter.characters = toolCalls.reduce(
      (sum, toolCall) => sum + toolCall.argumentsJson.length,
      content.length + refusal.length,
    );
    return completion;
  }

  async embed(call: ModelCall, target: ModelTarget, request: EmbedRequest): Promise<Embeddings> {
    const response = await this.#post(call, target, "/embeddings", embeddingBody(request, target.model));
    const embeddings = parseEmbeddings(bodyOf(call, response), request.inputs.length);
    call.meter.usage = embeddings.usage;
    return embeddings;
  }

  /** `take` gets each piece of the answer, and its promise holds the vendor back. */
  async stream(
    call: ModelCall,
    target: ModelTarget,
    request: CompleteRequest,
    take: TakeAnswer,
  ): Promise<StreamedAnswer> {
    const body = chatBody(request, target.model, { isStreamed: true, maxTokensMember: maxTokensMember(target) });
    const answer = new StreamedAnswer();
    const { truncated } = await this.#post(call, target, "/chat/completions", body, async (piece) => {
      call.progress.answered();
      call.meter.answered();
      try {
        await take(answer, piece);
      } finally {
        call.meter.characters = answer.characters;
        call.meter.usage = answer.usage;
      }
    });
    if (truncated) throw tooLong();
    answer.requireEnd();
    return answer;
  }

  async #post(
    { tenant, cause, runId, signal, deadline, progress, meter, prepared }: ModelCall,
    { connection }: ModelTarget,
    path: string,
    body: string,
    onBody?: TakeBody,
  ): Promise<VendorResponse> {
    const target = { tenant, cause, connection, runId, signal, prepared };
    const headers = { "content-type": "application/json", accept: onBody ? "text/event-stream" : "application/json" };
    const timeoutMs = Math.max(deadline - performance.now(), 1);
    const request = { purpose: "model", method: "POST", path, headers, body, timeoutMs, retry: "never" } as const;
    const response = await this.#calls.call(target, onBody ? { ...request, onBody } : request);
    if (response.status < 200 || response.status > 299) throw refusedAnswer(response);
    progress.answered();
    meter.answered();
    return response;
  }
}

/** Some vendors' newer models refuse `max_tokens`; the connection's configuration names the other member. */
const maxTokensMember = ({ connection }: ModelTarget) =>
  connection.configuration["maxTokensMember"] === "max_completion_tokens" ? "max_completion_tokens" : "max_tokens";

/** When an answer is too long, the part that has come is paid for. */
function bodyOf({ meter }: ModelCall, { body, truncated }: VendorResponse): Buffer {
  if (!truncated) return body;
  meter.characters = body.length;
  throw tooLong();
}

/** The refusal for an answer that does not fit into a message. */
export const tooLong = () =>
  new DomainError("PAYLOAD_TOO_LARGE", {
    detail: "The answer of the model is too long for one message. Ask for less, or stream it.",
  });
