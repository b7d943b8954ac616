import type { EventType } from "@factory/schema/event-names";
import type { Envelope } from "../outbox/envelope.js";

export interface BusPublisher {
  /** Resolves when the bus holds every envelope. The same event id again is no second message. */
  publish(envelopes: readonly Envelope[]): Promise<void>;
}

export interface BusMessage {
  /** Ascending within the bus. */
  readonly position: string;
  readonly envelope: Envelope;
}

export interface BusConsumer {
  /** Name of the consumer group; one member of it works at a time, so messages arrive in order. */
  readonly group: string;
  /** Absent: every type. */
  readonly types?: readonly EventType[];
  /** At least once, in order. A batch that throws is tried again message by message, then parked as a dead letter. */
  handle(messages: readonly BusMessage[]): Promise<void>;
}

/** Where events go between subgraphs. Drivers: PostgreSQL here, NATS JetStream later, one conformance suite for both. */
export interface Bus extends BusPublisher {
  /** The result stops this consumer, after the batch it is at. */
  subscribe(consumer: BusConsumer): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
