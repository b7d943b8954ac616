import type { CommandType } from "@factory/schema/command-names";
import type { EventType } from "@factory/schema/event-names";
import type { CommandEnvelope, Envelope, Message } from "../outbox/envelope.js";

export interface BusPublisher {
  /** Resolves when the bus holds every message. The same message id again is no second message. */
  publish(messages: readonly Message[]): Promise<void>;
}

export interface BusMessage<Of extends Message = Envelope> {
  /** Ascending within the bus. */
  readonly position: string;
  readonly envelope: Of;
}

/** Thrown by a consumer for what no further delivery can change: the message is parked at once. */
export class UnreadableMessage extends Error {
  override readonly name = "UnreadableMessage";
}

export interface MessageConsumer<Of extends Message> {
  /** Name of the consumer group; one member of it works at a time, so messages arrive in order. */
  readonly group: string;
  /**
   * At least once, in order. A batch that throws is tried again message by message: until it succeeds while something
   * is not available, else a few times, and then it is parked as a dead letter.
   */
  handle(messages: readonly BusMessage<Of>[]): Promise<void>;
}

/** Sees no command, whatever its type is called. */
export interface EventConsumer extends MessageConsumer<Envelope> {
  readonly kind?: "event";
  /** Absent: every type. */
  readonly types?: readonly EventType[];
}

/** Sees the commands that it handles, and no event. */
export interface CommandConsumer extends MessageConsumer<CommandEnvelope> {
  readonly kind: "command";
  readonly types: readonly CommandType[];
}

export type BusConsumer = EventConsumer | CommandConsumer;

/** Where messages go between subgraphs. Drivers: PostgreSQL here, NATS JetStream later, one conformance suite for both. */
export interface Bus extends BusPublisher {
  /** The result stops this consumer, after the batch it is at. */
  subscribe(consumer: BusConsumer): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
