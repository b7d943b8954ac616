import type { ExecutionResult } from "graphql";

type Events = AsyncIterable<unknown>;

export function isEvents(result: Events | ExecutionResult): result is Events {
  return Symbol.asyncIterator in result;
}

export interface EventHandling {
  /** Turns a subgraph's event into the response; never rejects, so that one bad event does not end the stream. */
  respond(event: unknown): Promise<ExecutionResult>;
  /** What the consumer sees when the source itself breaks, which does end the stream. */
  broken(reason: unknown): Error;
}

/** Pulls one event at a time, so a slow consumer slows the source and nothing is buffered here. */
export function mapEvents(events: Events, handling: EventHandling): AsyncIterableIterator<ExecutionResult> {
  const source = events[Symbol.asyncIterator]();
  let closed = false;
  const end: IteratorReturnResult<undefined> = { done: true, value: undefined };
  return {
    async next() {
      if (closed) {
        return end;
      }
      let event: IteratorResult<unknown>;
      try {
        event = await source.next();
      } catch (reason) {
        closed = true;
        throw handling.broken(reason);
      }
      if (event.done) {
        closed = true;
        return end;
      }
      return { done: false, value: await handling.respond(event.value) };
    },
    async return() {
      closed = true;
      await source.return?.();
      return end;
    },
    async throw(reason: unknown) {
      closed = true;
      await source.return?.();
      throw reason;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
