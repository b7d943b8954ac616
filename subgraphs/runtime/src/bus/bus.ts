import type { CommandType } from "@factory/schema/command-names";
import type { EventType } from "@factory/schema/event-names";
import type { CommandEnvelope, Envelope, Message } from "../messages/envelope.js";

export interface BusPublisher {
  /** Resolves when the bus holds every message. The same message id again adds no second message. */
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
  /** Name of the consumer group; one process at a time works for it, except while a lost turn is noticed. */
  readonly group: string;
  /**
   * At least once. Messages of one key, that is of one tenant and `partitionkey`, come in order; messages of different
   * keys have no order, and may be handled side by side.
   *
   * A batch that throws is tried again by tenant. What still fails is held, and later messages of its key wait behind
   * it, while all others pass. A held message is tried alone, also after a restart and after the log has forgotten it:
   * as long as something does not answer (`isUnavailable`), else five times within 36 s, then it is parked as a dead
   * letter and its key goes on. A statement that takes too long or too much memory counts as one of the five unless
   * other tenants fail too. Of one tenant 1,000 messages are held; further ones are parked at once, unless nothing of
   * the group succeeds because something does not answer: then the group waits where it stands.
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

/**
 * Where messages go between subgraphs. Drivers: PostgreSQL here, NATS JetStream later, one conformance suite for both.
 */
export interface Bus extends BusPublisher {
  /** The result stops this consumer, after the batch it is at. */
  subscribe(consumer: BusConsumer): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
