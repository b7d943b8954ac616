import { cursorOf, FeedEnd } from "@factory/runtime/graphql/feed-end";
import { type ExecutionResult, GraphQLError } from "graphql";

type Events = AsyncIterable<unknown>;

/** Whether a subgraph answered a subscription with an event stream instead of errors. */
export function isEvents(result: Events | ExecutionResult): result is Events {
  return Symbol.asyncIterator in result;
}

interface EventHandling {
  /** Turns the subgraph's event into the response. It never rejects, so that one bad event does not end the stream. */
  respond(event: unknown): Promise<ExecutionResult>;
  /** Returns the error for the consumer when the source fails. The failure ends the stream. */
  broken(reason: unknown): Error;
}

/** Makes the error that tells a subscriber why its stream ends. `lastEvent` is the last item from an ended source. */
type EndingError = (lastEvent: unknown) => GraphQLError;

/** A source that can be ended. After `end` it sends one last item, whose response is an error with the cursor. */
interface EndableSource {
  end(): void;
}

const endOfStream: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * One subscription's responses. The stream pulls one event at a time and buffers nothing, so a slow consumer slows down
 * the source.
 */
export class ResponseStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<unknown>;
  #handling: EventHandling;
  #closed = false;
  #lastResponse: ExecutionResult | undefined;
  #onClose: (() => void) | undefined;
  #cursor: string | undefined;
  #feedEnd: FeedEnd | undefined;

  constructor(events: Events, handling: EventHandling) {
    this.#source = events[Symbol.asyncIterator]();
    this.#handling = handling;
  }

  /** The cursor of the last event that was pulled, where its source has cursors. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** The last event, where the source has told why it ends. */
  get feedEnd(): FeedEnd | undefined {
    return this.#feedEnd;
  }

  /** Calls `listener` once, when the stream has ended. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#onClose = listener;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    if (this.#closed) return endOfStream;
    let event: IteratorResult<unknown>;
    try {
      event = await this.#source.next();
    } catch (reason) {
      this.#close();
      throw this.#handling.broken(reason);
    }
    if (event.done) {
      const value = this.#lastResponse;
      this.#close();
      return value ? { done: false, value } : endOfStream;
    }
    this.#cursor = cursorOf(event.value) ?? this.#cursor;
    if (event.value instanceof FeedEnd) this.#feedEnd = event.value;
    return { done: false, value: await this.#handling.respond(event.value) };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#close();
    await this.#source.return?.();
    return endOfStream;
  }

  async throw(reason: unknown): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#close();
    await this.#source.return?.();
    throw reason;
  }

  /** Ends the stream after the current event. A source without a method `end` is closed and reports no cursor. */
  async end(error: EndingError): Promise<void> {
    if (this.#closed) return;
    if (isEndable(this.#source)) return this.#source.end();
    this.#lastResponse = { errors: [error(undefined)] };
    await this.#source.return?.();
  }

  /** Drops all references that are needed to make responses. A consumer that pulls later receives only the error. */
  detach(error: EndingError): void {
    this.#handling = {
      respond: async (event) => ({ errors: [error(event)] }),
      broken: (reason) => (reason instanceof Error ? reason : new GraphQLError(String(reason))),
    };
    this.#onClose = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #close(): void {
    this.#closed = true;
    this.#lastResponse = undefined;
    this.#onClose?.();
    this.#onClose = undefined;
  }
}

function isEndable(source: object): source is EndableSource {
  return "end" in source && typeof source.end === "function";
}
