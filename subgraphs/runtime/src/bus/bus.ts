import type { CommandType } from "@factory/schema/command-names";
import type { EventType } from "@factory/schema/event-names";
import type { Listener } from "../connections/listener.js";
import type { Turns } from "../db/leader-election.js";
import type { AuditRecord, auditRecordType } from "../messages/audit-record.js";
import type { CommandEnvelope, Envelope, Message } from "../messages/envelope.js";

/** Publishes messages. */
export interface BusPublisher {
  /** Resolves when the bus has stored every message. A message with a known ID is not stored again. */
  publish(messages: readonly Message[]): Promise<void>;
  /** Moves a subgraph role's outbox. Undefined where the bus is not in the database that this URL names. */
  outboxMove?(workerUrl: string): OutboxStatement | undefined;
}

/** Publishes and marks up to `$1` outbox messages in its role's search path, and returns one row `OutboxMove`. */
export interface OutboxStatement {
  readonly name: string;
  readonly text: string;
}

/** The messages that a statement has moved from an outbox to the bus. */
export interface OutboxMove {
  readonly count: number;
  /** The last message's time (ISO 8601); null for none. */
  readonly last: string | null;
}

/** A message with its position on the bus. */
export interface BusMessage<Of extends Message = Envelope> {
  /** Ascending within the bus; a decimal text. */
  readonly position: string;
  readonly envelope: Of;
}

/** Thrown by a consumer that can never handle the message. The message becomes a dead letter at once. */
export class UnreadableMessage extends Error {
  override readonly name = "UnreadableMessage";
}

export interface MessageConsumer<Of extends Message> {
  /**
   * The consumer group's name. One process at a time works for a group, except for the short time after a turn is lost.
   */
  readonly group: string;
  /**
   * Handles a batch; delivery is at least once. Messages with one key (tenant and `partitionkey`) come in order. Messages
   * with different keys have no order and may be handled in parallel.
   *
   * A batch that throws is repeated for each tenant alone. A message that still fails is held, and later messages with its
   * key wait behind it, while all others continue. A held message is repeated alone, also after a restart: without limit
   * while something does not answer (`isUnavailable`), otherwise five times within 36 s. Then it becomes a dead letter
   * and its key continues. A statement that takes too long or too much memory counts as an attempt unless
   * other tenants fail too. At most 1,000 messages are held for a tenant; further ones become dead letters at once, unless
   * the whole group fails because something does not answer. Then the group waits.
   */
  handle(messages: readonly BusMessage<Of>[]): Promise<void>;
}

/** Consumes events. It never receives a command or an audit record. */
export interface EventConsumer extends MessageConsumer<Envelope> {
  readonly kind?: "event";
  /** The event types; absent: all types. */
  readonly types?: readonly EventType[];
}

/** Consumes the commands that it names. It never receives an event or an audit record. */
export interface CommandConsumer extends MessageConsumer<CommandEnvelope> {
  readonly kind: "command";
  readonly types: readonly CommandType[];
}

/** Consumes audit records. It never receives an event or a command. */
interface AuditConsumer extends MessageConsumer<AuditRecord> {
  readonly kind: "audit";
  readonly types: readonly [typeof auditRecordType];
}

/** Consumes events, commands or audit records. */
export type BusConsumer = EventConsumer | CommandConsumer | AuditConsumer;

/**
 * The message bus between subgraphs. PostgreSQL is the only driver; another driver must pass the same test suite.
 */
export interface Bus extends BusPublisher {
  /** Starts a consumer. Returns a function that stops it after its current batch. */
  subscribe(consumer: BusConsumer): Promise<() => Promise<void>>;
  /**
   * The bus sessions that a subgraph can use too. Undefined where the bus is not in the database that this URL names.
   */
  sessions?(workerUrl: string): BusSessions | undefined;
  close(): Promise<void>;
}

/** A process's long-lived sessions in the bus database. The bus closes them. */
export interface BusSessions {
  readonly listener: Listener;
  readonly turns: Turns;
}
