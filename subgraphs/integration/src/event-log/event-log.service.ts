import type { BusMessage } from "@factory/runtime/bus/bus";
import type { Database, Transaction } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/outbox/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import { logOwnerOf } from "../event-types.js";
import type { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import { type LoggedEvent, type LoggedEventRow, loggedEvent, loggedEventColumns } from "./logged-event.js";

/** Wakes every process that streams events; the table is the truth. */
export const eventLogChannel = "integration_event_log";

const appendLock = 4_000_006;

const append = {
  name: "event_log_append",
  text: `
    with turn as materialized (select pg_advisory_xact_lock(${appendLock})),
    appended as (
      insert into event_log (tenant_id, event_id, type, envelope)
      select $1, id, envelope->>'type', envelope
      from turn, unnest($2::uuid[], $3::jsonb[]) with ordinality as event(id, envelope, place) order by place
      on conflict (tenant_id, event_id) do nothing
      returning position, event_id)
    select position, event_id, pg_notify('${eventLogChannel}', '') from appended order by position`,
};

const pageAfter = tenantStatement(
  "event_log_page",
  `select ${loggedEventColumns} from event_log
   where tenant_id = scope.tenant and position > $2 and type = any($3) order by position limit $4`,
);

const horizon = tenantStatement(
  "event_log_horizon",
  "select pruned_through from event_log_horizons where tenant_id = scope.tenant",
);

/** The one log of events that cursors point into: websocket, webhooks and, later, pull mode. */
export class EventLogService {
  readonly #database: Database;
  readonly #messages: WebhookMessageService;

  constructor(database: Database, messages: WebhookMessageService) {
    this.#database = database;
    this.#messages = messages;
  }

  /**
   * Takes what the bus delivers, at least once and in order. Each tenant's events, its webhook messages and their jobs
   * are one transaction; an event that is known already changes nothing.
   */
  async take(messages: readonly BusMessage[]): Promise<void> {
    const byTenant = new Map<string, Envelope[]>();
    for (const { envelope } of messages) {
      if (envelope.messagekind !== "event") continue;
      const owner = logOwnerOf(envelope);
      const known = byTenant.get(owner);
      if (known) known.push(envelope);
      else byTenant.set(owner, [envelope]);
    }
    for (const [tenantId, envelopes] of byTenant) await this.#append(tenantWithId(tenantId), envelopes);
  }

  /** Events of a tenant after a position, oldest first. */
  async page(tenant: Tenant, after: number, types: readonly string[], limit: number): Promise<LoggedEvent[]> {
    const rows = await this.#database.reader.rows<LoggedEventRow>(pageAfter, tenant, after, types, limit);
    return rows.map(loggedEvent);
  }

  /** Highest position that is gone for good; 0 when nothing was pruned. */
  async prunedThrough(tenant: Tenant): Promise<number> {
    const row = await this.#database.reader.row<{ pruned_through: string }>(horizon, tenant);
    return row ? Number(row.pruned_through) : 0;
  }

  async #append(tenant: Tenant, envelopes: readonly Envelope[]): Promise<void> {
    const [first] = envelopes;
    if (!first) return;
    const cause = { trace: continueTrace(first.traceparent), causationId: first.id };
    await this.#database.transaction(tenant, cause, (transaction) => this.#appendIn(transaction, envelopes));
  }

  /** The lock makes positions ascend in commit order even when a second consumer still finishes its last batch. */
  async #appendIn(transaction: Transaction, envelopes: readonly Envelope[]): Promise<void> {
    const byUuid = new Map(envelopes.map((envelope) => [decodeId("evt", envelope.id) ?? "", envelope]));
    const appended = await transaction.execute<{ position: string; event_id: string }>(append, [
      transaction.tenant.uuid,
      [...byUuid.keys()],
      [...byUuid.values()].map((envelope) => JSON.stringify(envelope)),
    ]);
    const events = appended.flatMap(({ event_id, position }) => {
      const envelope = byUuid.get(event_id);
      return envelope ? [{ position, envelope }] : [];
    });
    if (events.length > 0) await this.#messages.enqueue(transaction, events);
  }
}
