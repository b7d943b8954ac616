import type { BusMessage } from "@factory/runtime/bus/bus";
import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { isTenantEvent } from "../../event-types/event-access/event-access.js";
import type { WebhookMessageService } from "../../webhooks/webhook-messages/webhook-message.service.js";
import { type LoggedEvent, type LoggedEventRow, loggedEvent, loggedEventColumns } from "./logged-event.js";

/**
 * The channel that wakes every process that streams events. A notification has no content; the events are read from the
 * table.
 */
export const eventLogChannel = "integration_event_log";

/**
 * Numbers the events after the tenant's head. The head's row stays locked until the transaction ends, which delays only
 * this tenant. An event that the log has already is counted too, so the transaction must then not commit.
 */
const append = namedStatement(
  "event_log_append",
  `
    with turn as materialized (select pg_advisory_xact_lock(${advisoryLocks.eventLog})),
    head as (
      insert into event_log_heads as head (tenant_id, sequence) select $tenant, cardinality($ids::uuid[]) from turn
      on conflict (tenant_id) do update set sequence = head.sequence + excluded.sequence
      returning sequence - cardinality($ids::uuid[]) as before),
    appended as (
      insert into event_log (tenant_id, event_id, type, envelope, sequence, correlation_hash)
      select $tenant, id, type, envelope, before + place, hashtextextended(correlation_id, 0)
      from head, unnest($ids::uuid[], $envelopes::json[], $types::text[], $correlationIds::text[]) with ordinality
        as event(id, envelope, type, correlation_id, place) order by place
      on conflict (tenant_id, event_id) do nothing
      returning sequence, event_id)
    select sequence, event_id, pg_notify('${eventLogChannel}', '') from appended order by sequence`,
);

/** Thrown when the bus delivers events that the log has already. `others` are the new ones. */
class SomeAreKnown extends Error {
  constructor(readonly others: readonly Envelope[]) {
    super("Some of the events are in the log already");
  }
}

const pageAfter = tenantStatement(
  "event_log_page",
  `select ${loggedEventColumns} from event_log
   where tenant_id = scope.tenant and sequence > $after and type = any($types)
   order by sequence limit $limit`,
);

/** How many sequences one look at the log passes, so that a rare type costs little. */
const windowWidth = 20_000;

/**
 * `$after` is a sequence, or null for the oldest event that is kept. The events and the head come from one snapshot. The head's
 * row is locked until the events before it are committed, so no event up to `newest` can appear later.
 */
const windowAfter = tenantStatement(
  "event_log_window",
  `select head.sequence as newest, coalesce(horizon.pruned_through, 0) as pruned_through, event.*
   from event_log_heads head left join event_log_horizons horizon on horizon.tenant_id = head.tenant_id
   cross join lateral (select coalesce($after::bigint, horizon.pruned_through, 0) as after) start
   left join lateral (
     select ${loggedEventColumns} from event_log
     where event_log.tenant_id = scope.tenant and sequence > start.after and sequence <= start.after + ${windowWidth}
       and type = $type
     order by sequence limit $limit) event on true
   where head.tenant_id = scope.tenant order by event.sequence`,
);

const extent = tenantStatement(
  "event_log_extent",
  `select head.sequence as newest, coalesce(horizon.pruned_through, 0) as pruned_through
   from event_log_heads head left join event_log_horizons horizon on horizon.tenant_id = head.tenant_id
   where head.tenant_id = scope.tenant`,
);

/** The scan passes only the events that came after the position. */
const sequenceAt = tenantStatement(
  "event_log_sequence_at",
  `select coalesce(
     (select sequence from event_log where tenant_id = scope.tenant and position <= $2 order by sequence desc limit 1),
     (select pruned_through from event_log_horizons where tenant_id = scope.tenant), 0) as sequence`,
);

/** The sequences in a tenant's log. Both are 0 while the tenant has no events. */
export interface LogExtent {
  readonly newest: number;
  /** The events up to this sequence are deleted. */
  readonly prunedThrough: number;
}

/** A part of a tenant's log, as it was at one moment. */
interface LogWindow extends LogExtent {
  readonly events: readonly LoggedEvent[];
  /** The log has no further events with the type up to this sequence. */
  readonly through: number;
}

interface WindowRow {
  newest: string;
  pruned_through: string;
}

/** The event log. Its sequences are the cursors for websocket subscriptions and the order for webhooks. */
export class EventLogService {
  readonly #database: Database;
  readonly #messages: WebhookMessageService;

  constructor(database: Database, messages: WebhookMessageService) {
    this.#database = database;
    this.#messages = messages;
  }

  /**
   * Stores the messages that the bus delivers, at least once and in order. A tenant's events and webhook messages are
   * stored in one transaction. An event that is stored already changes nothing.
   */
  async take(messages: readonly BusMessage[]): Promise<void> {
    const byTenant = new Map<string, Envelope[]>();
    for (const { envelope } of messages) {
      if (envelope.messagekind !== "event") continue;
      const owner = logOwnerOf(envelope);
      const envelopesOfOwner = byTenant.get(owner);
      if (envelopesOfOwner) envelopesOfOwner.push(envelope);
      else byTenant.set(owner, [envelope]);
    }
    for (const [tenantId, envelopes] of byTenant) await this.#append(tenantWithId(tenantId), envelopes);
  }

  /** The tenant's events after a sequence, oldest first. */
  async page(tenant: Tenant, after: number, types: readonly string[], limit: number): Promise<LoggedEvent[]> {
    const values = pageAfter.valuesOf({ after, types, limit });
    const rows = await this.#database.reader.rows<LoggedEventRow>(pageAfter, tenant, ...values);
    return rows.map(loggedEvent);
  }

  /** The next events with one type, oldest first. Without `after` it begins with the oldest event that is kept. */
  async window(tenant: Tenant, after: number | undefined, type: string, limit: number): Promise<LogWindow> {
    const values = windowAfter.valuesOf({ after: after ?? null, type, limit });
    const rows = await this.#database.reader.rows<WindowRow & (LoggedEventRow | { envelope: null })>(
      windowAfter,
      tenant,
      ...values,
    );
    const newest = Number(rows[0]?.newest ?? 0);
    const prunedThrough = Number(rows[0]?.pruned_through ?? 0);
    const events = rows.flatMap((row) => (row.envelope === null ? [] : [loggedEvent(row)]));
    const end = Math.min((after ?? prunedThrough) + windowWidth, newest);
    return { newest, prunedThrough, events, through: events.length < limit ? end : (events.at(-1)?.sequence ?? end) };
  }

  async extent(tenant: Tenant): Promise<LogExtent> {
    const row = await this.#database.reader.row<{ newest: string; pruned_through: string }>(extent, tenant);
    return { newest: Number(row?.newest ?? 0), prunedThrough: Number(row?.pruned_through ?? 0) };
  }

  /** The tenant's newest sequence at this position in the log for all tenants. */
  async sequenceAt(tenant: Tenant, position: number): Promise<number> {
    const row = await this.#database.reader.row<{ sequence: string }>(sequenceAt, tenant, position);
    return Number(row?.sequence ?? 0);
  }

  async #append(tenant: Tenant, envelopes: readonly Envelope[]): Promise<void> {
    const [first] = envelopes;
    if (!first) return;
    const cause = { trace: continueTrace(first.traceparent), causationId: first.id };
    try {
      await this.#database.transaction(tenant, cause, (transaction) => this.#appendIn(transaction, envelopes));
    } catch (error) {
      if (!(error instanceof SomeAreKnown)) throw error;
      await this.#append(tenant, error.others);
    }
  }

  /** The advisory lock makes positions ascend in commit order, also while a second consumer finishes its last batch. */
  async #appendIn(transaction: Transaction, envelopes: readonly Envelope[]): Promise<void> {
    const byUuid = new Map(envelopes.map((envelope) => [decodeId("evt", envelope.id) ?? "", envelope]));
    const different = [...byUuid.values()];
    const values = append.valuesOf({
      tenant: transaction.tenant.uuid,
      ids: [...byUuid.keys()],
      envelopes: different.map((envelope) => JSON.stringify(envelope)),
      types: different.map(({ type }) => type),
      correlationIds: different.map(({ correlationid }) => correlationid),
    });
    const appendedRows = await transaction.execute<{ sequence: string; event_id: string }>(append, values);
    const events = appendedRows.flatMap(({ event_id, sequence }) => {
      const envelope = byUuid.get(event_id);
      return envelope ? [{ sequence, envelope }] : [];
    });
    if (events.length < byUuid.size) throw new SomeAreKnown(events.map(({ envelope }) => envelope));
    await this.#messages.enqueue(transaction, events);
  }
}

/** The tenant in whose log an event stands. Its subscribers and webhooks get the event. */
const logOwnerOf = ({ type, tenantid }: Pick<Envelope, "type" | "tenantid">): string =>
  isTenantEvent(type) ? platformTenantId : tenantid;
