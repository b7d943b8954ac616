import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type ExecutionResult, GraphQLError } from "graphql";
import type { ResponseStream } from "../execution/response-stream.js";
import type { LiveOperations } from "../live-operations/live-operations.js";
import type { EventChannel } from "./event-channel.js";

/** The time (ms) in which a client can take the reason for which its stream ends. */
const farewellMs = 5000;

interface StreamParts {
  readonly context: RequestContext;
  readonly principal: Principal;
  readonly token: string;
  readonly channel: EventChannel;
  readonly operations: LiveOperations;
}

/**
 * One subscription as an event stream. It pulls an event when the client has taken the one before, so that a client that
 * does not read slows down its own feed only, and the feed ends with SUBSCRIPTION_LAGGED.
 */
export class OpenStream {
  readonly principal: Principal;
  readonly token: string;
  readonly #parts: StreamParts;
  #stream: ResponseStream | undefined;
  /** The reason for which the door ends the stream. */
  #reason: DomainError | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.principal = parts.principal;
    this.token = parts.token;
  }

  /** Sends all results, and then that none follows. Resolves when the stream has ended. */
  async send(stream: ResponseStream): Promise<void> {
    const { channel, operations, context } = this.#parts;
    this.#stream = stream;
    if (this.#reason) this.#askToEnd(this.#reason);
    channel.onClose(() => void stream.return());
    try {
      while (channel.isOpen) {
        await channel.ready();
        const { value, done } = await stream.next();
        if (done) break;
        const result = operations.publicResult(this.#withReason(stream, value));
        channel.next(result, stream.cursor);
      }
    } catch (error) {
      const reason = error instanceof GraphQLError ? error : toGraphqlError(error, context);
      channel.next({ errors: operations.publicErrors([reason]) }, stream.cursor);
    }
    channel.complete();
  }

  /** Ends the stream. Its last result has the reason, and the cursor to go on from. */
  end(reason: DomainError): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#parts.channel.cutAfter(farewellMs);
    this.#askToEnd(reason);
  }

  #askToEnd(reason: DomainError): void {
    void this.#stream?.end(() => toGraphqlError(reason, this.#parts.context));
  }

  /** A feed that is asked to end answers with UNAVAILABLE and its cursor. The reason of the door says more. */
  #withReason({ feedEnd }: ResponseStream, result: ExecutionResult): ExecutionResult {
    const reason = this.#reason;
    if (!reason || !feedEnd || codeOf(feedEnd.reason) !== "UNAVAILABLE") return result;
    const endingError = new DomainError(reason.code, { ...reason.facts, ...feedEnd.place });
    return { errors: [toGraphqlError(endingError, this.#parts.context)] };
  }
}

const codeOf = (reason: unknown) => (reason instanceof DomainError ? reason.code : undefined);
