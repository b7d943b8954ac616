import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { startDeliveryRuns } from "../../runs/delivery-runs.js";
import type { ImmediateState } from "./immediate-handling.js";
import type { IdentifiedDelivery, NewDelivery } from "./new-delivery.js";
import { insertDeliveries } from "./record-statement.js";
import type { StoredDeliveryRow } from "./webhook-delivery.view.js";

type PlacedRow = Pick<StoredDeliveryRow, "delivery_id" | "connection_id"> & { project_id: string | null };

/** A delivery with its ids and its sealed payload. */
export interface SealedDelivery extends IdentifiedDelivery {
  readonly source: NewDelivery;
  readonly keyId: string;
  readonly wrappedKey: string;
  readonly ciphertext: string;
}

/** Inserts deliveries with their runs. Returns them with their connections and projects. */
export async function insertRows(
  transaction: Transaction,
  deliveries: readonly SealedDelivery[],
  states: readonly ImmediateState[],
): Promise<readonly SealedDelivery[]> {
  const { tenant } = transaction;
  const column = (valueOf: (delivery: SealedDelivery) => unknown) => deliveries.map(valueOf);
  const values = insertDeliveries.valuesOf({
    tenant: tenant.uuid,
    ids: column(({ deliveryId }) => decodeId("whd", deliveryId)),
    providers: column(({ match }) => decodeId("prv", match.providerId)),
    providerKeys: column(({ match }) => match.providerKey),
    providerDeliveries: column(({ providerDeliveryId }) => providerDeliveryId),
    eventNames: column(({ eventName }) => eventName),
    eventTypes: column(({ normalizedEventType }) => normalizedEventType),
    digests: column(({ bodySha256 }) => bodySha256.toString("hex")),
    keyIds: column(({ keyId }) => keyId),
    wrappedKeys: column(({ wrappedKey }) => wrappedKey),
    ciphertexts: column(({ ciphertext }) => ciphertext),
    subscriptions: column(({ match }) =>
      match.subscriptionId === null ? null : decodeId("whs", match.subscriptionId),
    ),
    connections: column(({ match }) => (match.connectionId === null ? null : decodeId("con", match.connectionId))),
    runs: column(({ runId }) => decodeId("run", runId)),
    traces: column(({ trace }) => trace.traceId),
    accounts: column(({ account }) => account ?? null),
    states: states.map((state) => state ?? "Accepted"),
  });
  const places = await placedRows(transaction, deliveries, values);
  const insertedRows = deliveries.map((delivery) => ({ ...delivery, ...placeOf(places, delivery) }));
  await startDeliveryRuns(
    transaction,
    insertedRows.map(({ runId, deliveryId, connectionId, projectId, trace }, place) => ({
      ...{ runId, deliveryId, connectionId, projectId, trace },
      isHandled: states[place] !== undefined,
    })),
  );
  return insertedRows;
}

/** Needs the database's answer, and so its own round trip, only where a delivery may have a connection. */
async function placedRows(
  { defer, execute }: Transaction,
  deliveries: readonly SealedDelivery[],
  values: readonly unknown[],
): Promise<Map<string, PlacedRow>> {
  if (deliveries.every(({ match, account }) => match.connectionId === null && account === undefined)) {
    await defer(insertDeliveries, values);
    return new Map();
  }
  const rows = await execute<PlacedRow>(insertDeliveries, values);
  return new Map(rows.map((row) => [encodeId("whd", row.delivery_id), row]));
}

/** The connection's project, else the Inbound subscription's. */
function placeOf(places: ReadonlyMap<string, PlacedRow>, { deliveryId, match }: SealedDelivery) {
  const { connection_id = null, project_id = null } = places.get(deliveryId) ?? {};
  const connectionId = connection_id === null ? null : encodeId("con", connection_id);
  return { connectionId, projectId: project_id ?? match.subscriptionProject };
}

/** Records the event for a delivery's reception. */
export function recordReception({ record }: Transaction, delivery: SealedDelivery): void {
  const { deliveryId, runId, match, providerDeliveryId, eventName, normalizedEventType, trace } = delivery;
  const { connectionId, projectId } = delivery;
  const { providerId, providerKey, subscriptionId } = match;
  record(
    {
      type: "WebhookDeliveryReceived",
      subject: `deliveries/${deliveryId}`,
      projectId,
      data: {
        ...{ deliveryId, providerId, provider: providerKey, providerDeliveryId, eventName, normalizedEventType },
        ...{ subscriptionId, connectionId, runId },
      },
    },
    { trace },
  );
}
