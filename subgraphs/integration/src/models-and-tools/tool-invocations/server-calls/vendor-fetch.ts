import { DomainError } from "@factory/runtime/errors/domain-error";
import type { VendorRequest } from "../../../connections/vendor-calls/exchange/vendor-call.js";
import type { VendorCalls } from "../../../connections/vendor-calls/vendor-calls.js";
import { type AskedRequest, askedRequest, isAnswerTo, readAnswer } from "./answer-reader.js";
import type { WantedChannel } from "./channel.js";
import { answerTooLong, maxSessionBytes, type SessionFacts } from "./session-facts.js";
import { StreamedBody } from "./streamed-body.js";

interface Exchanges extends WantedChannel {
  readonly calls: VendorCalls;
}

const endPatienceMs = 2_000;
const withoutBody: readonly number[] = [204, 205, 304];

/**
 * The function by which the protocol's client sends HTTP: through the one door for vendor calls, so that the address is
 * the connection's whatever the client asks for. A stream for the server's own messages is not opened, since nothing
 * would read it.
 */
export function vendorFetch({ calls, target, deadline, facts }: Exchanges) {
  const count = (bytes: number) => {
    facts.receivedBytes += bytes;
    if (facts.receivedBytes > maxSessionBytes) throw answerTooLong(facts);
  };
  const send = async (request: VendorRequest, ownSignal: AbortSignal | undefined): Promise<Response> => {
    const signal = ownSignal ? AbortSignal.any([ownSignal, target.signal]) : target.signal;
    const answer = await calls.call({ ...target, signal }, request);
    count(answer.body.length);
    if (answer.truncated) throw answerTooLong(facts);
    facts.failedStatus = answer.status >= 400 ? answer.status : undefined;
    return response(answer);
  };
  return async (_: string | URL, { method = "GET", headers, body, signal }: RequestInit = {}): Promise<Response> => {
    if (method !== "POST") return new Response(null, { status: 405 });
    const text = typeof body === "string" ? body : "";
    const note = (error: unknown) => {
      if (error instanceof DomainError) facts.refusal ??= error;
    };
    const request: VendorRequest = {
      ...{ purpose: "tool", method, path: "", body: text, retry: "never" },
      headers: Object.fromEntries(new Headers(headers)),
      timeoutMs: Math.max(1, Math.floor(deadline - performance.now())),
    };
    try {
      const pendingRequest = askedRequest(JSON.parse(text), facts);
      if (!pendingRequest) return await send(request, signal ?? undefined);
      // A call may report progress before its answer, so its body is passed on as it comes.
      let isAnswered = false;
      const readMessage = (message: unknown) => {
        isAnswered ||= isAnswerTo(message, pendingRequest);
        return readAnswer(message, pendingRequest, facts);
      };
      const endStream = (error: DomainError) => {
        streamedBody.end();
        if (!isAnswered) endSoon(facts, error);
      };
      const streamedBody = new StreamedBody({ count, read: readMessage, maxCharacters: maxSessionBytes });
      const whole = send({ ...request, onBody: streamedBody.take }, signal ?? undefined);
      whole.then(
        () => endStream(withoutAnswer(pendingRequest)),
        (error: unknown) => {
          note(error);
          endStream(facts.refusal ?? withoutAnswer(pendingRequest));
        },
      );
      return await Promise.race([streamedBody.response, whole]);
    } catch (error) {
      note(error);
      throw error;
    }
  };
}

/** The client may still read what has come. */
const endSoon = (facts: SessionFacts, error: DomainError) =>
  void setTimeout(() => facts.broken(error), endPatienceMs).unref();

type Answer = Awaited<ReturnType<VendorCalls["call"]>>;

function response({ status, headers, body }: Answer): Response {
  if (status < 200 || status > 599)
    throw new DomainError("UPSTREAM_FAILED", { detail: "The answer of the tool server is not valid HTTP." });
  const lines = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    [value ?? []].flat().map((text) => [name, text]),
  );
  return new Response(withoutBody.includes(status) ? null : new Uint8Array(body), { status, headers: lines });
}

const withoutAnswer = ({ method }: AskedRequest) =>
  new DomainError("UPSTREAM_FAILED", {
    detail:
      method === "tools/call"
        ? "The tool server has ended its answer before the result. The tool may have run."
        : "The tool server has ended its answer before the list.",
  });
