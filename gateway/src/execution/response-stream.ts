import { type ExecutionResult, GraphQLError } from "graphql";

type Events = AsyncIterable<unknown>;

/** Whether a subgraph answered a subscription with a stream of events, and not with errors. */
export function isEvents(result: Events | ExecutionResult): result is Events {
  return Symbol.asyncIterator in result;
}

export interface EventHandling {
  /** Turns an event of the subgraph into the response. It never rejects, so that one bad event does not end the stream. */
  respond(event: unknown): Promise<ExecutionResult>;
  /** The error for the consumer when the source itself breaks, which ends the stream. */
  broken(reason: unknown): Error;
}

/** The error that tells a subscriber why its stream ends. `lastEvent`: the last item of a source that was asked to end. */
export type EndingError = (lastEvent: unknown) => GraphQLError;

/** A source that can be asked to end: its next item is its last one, and answers with an error that tells the cursor. */
interface EndableSource {
  end(): void;
}

const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The responses of one subscription. It pulls one event at a time, so that a slow consumer slows the source and nothing
 * is buffered here.
 */
export class ResponseStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<unknown>;
  #handling: EventHandling;
  #closed = false;
  #lastResponse: ExecutionResult | undefined;
  #onClose: (() => void) | undefined;

  constructor(events: Events, handling: EventHandling) {
    this.#source = events[Symbol.asyncIterator]();
    this.#handling = handling;
  }

  /** Calls back once, when the stream is over. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#onClose = listener;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    if (this.#closed) return finished;
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
      return value ? { done: false, value } : finished;
    }
    return { done: false, value: await this.#handling.respond(event.value) };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#close();
    await this.#source.return?.();
    return finished;
  }

  async throw(reason: unknown): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#close();
    await this.#source.return?.();
    throw reason;
  }

  /** Ends the stream from outside, after the event at hand. A source that cannot tell its cursor is closed. */
  async end(error: EndingError): Promise<void> {
    if (this.#closed) return;
    if (isEndable(this.#source)) return this.#source.end();
    this.#lastResponse = { errors: [error(undefined)] };
    await this.#source.return?.();
  }

  /** Lets go of everything that the responses are made with. A consumer that pulls later gets the error only. */
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
