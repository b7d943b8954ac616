import type { BusMessage, EventConsumer } from "@factory/runtime/bus/bus";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { dropEntry, indexEntry } from "../search-index/search-index-statement.js";
import type { ApiClient } from "./api-client.entity.js";
import { type ProviderEvent, providerEvent, providerEventTypes } from "./provider-event.js";

type ApiClientRow = RowOf<ApiClient, "apiClientId" | "key" | "category" | "capabilities" | "status">;

/**
 * Keeps `api_clients` up to date from integration's Provider events. A repeated event changes nothing. When two events
 * arrive in the wrong order, the later one determines the state, and the later one with details provides them.
 */
export class ApiClientProjection {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  consumer(): EventConsumer {
    return { group: "catalog.api-clients", types: providerEventTypes, handle: (messages) => this.project(messages) };
  }

  /** Uses a transaction for each event. Two events in one transaction could cause a deadlock on the index's words. */
  async project(messages: readonly BusMessage[]): Promise<void> {
    for (const { envelope } of messages) {
      const event = providerEvent(envelope);
      if (!event) continue;
      const cause = { trace: continueTrace(envelope.traceparent), causationId: envelope.id };
      await this.#database.transaction(tenantWithId(envelope.tenantid), cause, (transaction) =>
        apply(transaction, event),
      );
    }
  }
}

async function apply(transaction: Transaction, event: ProviderEvent): Promise<void> {
  const { details, status, occurredAt, eventId } = event;
  const [before] = await transaction.execute<Pick<ApiClientRow, "capabilities">>(
    "select capabilities from api_clients where tenant_id = $1 and provider_id = $2 for update",
    [transaction.tenant.uuid, decodeId("prv", event.providerId)],
  );
  const [row] = await transaction.execute<ApiClientRow>(
    `insert into api_clients as known (tenant_id, provider_id, api_client_id, key, display_name, category, capabilities,
       status, status_since, status_event_id, details_since, details_event_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $4::text is not null then $9::timestamptz end,
       case when $4::text is not null then $10::uuid end)
     on conflict (tenant_id, provider_id) do update set
       api_client_id = coalesce(known.api_client_id, excluded.api_client_id),
       key = coalesce(known.key, excluded.key),
       display_name = case when ${hasNewDetails} then excluded.display_name else known.display_name end,
       category = case when ${hasNewDetails} then excluded.category else known.category end,
       capabilities = case when ${hasNewDetails} then excluded.capabilities else known.capabilities end,
       details_since = case when ${hasNewDetails} then excluded.details_since else known.details_since end,
       details_event_id = case when ${hasNewDetails} then excluded.details_event_id else known.details_event_id end,
       status = case when ${isLater} then excluded.status else known.status end,
       status_since = case when ${isLater} then excluded.status_since else known.status_since end,
       status_event_id = case when ${isLater} then excluded.status_event_id else known.status_event_id end
     where ${isLater} or ${hasNewDetails}
     returning api_client_id, key, category, capabilities, status`,
    [
      transaction.tenant.uuid,
      decodeId("prv", event.providerId),
      details === undefined ? null : decodeId("apc", details.apiClientId),
      details?.key ?? null,
      details?.displayName ?? null,
      details?.category ?? null,
      details?.capabilities ?? [],
      status,
      occurredAt.toISOString(),
      decodeId("evt", eventId),
    ],
  );
  if (row) await updateSearch(transaction, row, before?.capabilities ?? []);
}

const isLater = "(excluded.status_since, excluded.status_event_id) > (known.status_since, known.status_event_id)";

/** Whether the event has details that are later than the known ones. */
const hasNewDetails = `(excluded.details_since is not null and (known.details_since is null
  or (excluded.details_since, excluded.details_event_id) > (known.details_since, known.details_event_id)))`;

/** Search finds API clients that can be used: Registered ones whose registration has arrived. */
async function updateSearch(transaction: Transaction, row: ApiClientRow, before: readonly string[]): Promise<void> {
  const { api_client_id, key, category, status } = row;
  if (api_client_id === null || key === null) return;
  const capabilities = row.capabilities.map((name) => ({ name, contract: null }));
  const indexedCapabilities = before.map((name) => ({ name, contract: null }));
  if (status !== "Registered" || before.some((name) => !row.capabilities.includes(name)))
    await dropEntry(transaction, api_client_id, indexedCapabilities);
  if (status !== "Registered") return;
  await indexEntry(transaction, {
    entryId: api_client_id,
    source: "ApiClient",
    name: key,
    area: category,
    owner: null,
    tags: [],
    // Search knows library states. A registered API client corresponds to Active.
    status: "Active",
    capabilities,
  });
}
