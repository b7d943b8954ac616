import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import { continueTrace, type Trace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { AcceptedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import type { DeliveryFacts } from "../arrived-deliveries/delivery-facts.js";
import { startDeliveryRuns } from "../runs/delivery-runs.js";
import { insertDeliveries, knownDeliveries, retryFailed } from "./record-statement.js";
import type { Match } from "./signature-verifier.js";

/** A verified delivery that is to be recorded. */
export interface NewDelivery extends Omit<DeliveryFacts, "value" | "named"> {
  readonly match: Match;
  readonly normalizedEventType: string;
  readonly trace: Trace;
}

/** `Conflict`: a delivery with the same id and another body is known. */
export type RecordedDelivery = AcceptedDelivery | "Conflict";

interface KnownRow {
  provider_id: string;
  provider_delivery_id: string;
  delivery_id: string;
  normalized_event_type: string;
  body_sha256: string;
}

interface PlacedRow {
  delivery_id: string;
  connection_id: string | null;
  project_id: string | null;
}

interface SealedDelivery extends NewDelivery {
  readonly source: NewDelivery;
  readonly deliveryId: string;
  readonly runId: string;
  readonly keyId: string;
  readonly wrappedKey: string;
  readonly ciphertext: string;
}

/** Races with other processes for the same ids. */
const maxTries = 3;
const uniqueKey = "webhook_deliveries_provider_delivery";

/** The associated data to which the payload of a delivery is bound. */
export const payloadOwner = (tenantId: string, deliveryId: string): string => `${tenantId}|${deliveryId}`;

/**
 * Writes verified deliveries of one tenant in one transaction: their rows, their runs and their events. It needs one
 * round trip as long as all of them are new.
 */
export class DeliveryRecords {
  readonly #database: Database;
  readonly #seal: EnvelopeSeal;

  constructor(database: Database, seal: EnvelopeSeal) {
    this.#database = database;
    this.#seal = seal;
  }

  /** The outcomes in the order of the deliveries. */
  async write(tenant: Tenant, deliveries: readonly NewDelivery[]): Promise<RecordedDelivery[]> {
    const first = new Map<string, SealedDelivery>();
    for (const delivery of deliveries) {
      const name = nameOf(delivery.match.providerId, delivery.providerDeliveryId);
      if (!first.has(name)) first.set(name, this.#sealed(tenant, delivery));
    }
    // Sorted, so that two processes which insert the same ids do not wait for each other in a circle.
    const sealed = [...first.entries()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, delivery]) => delivery);
    const known = await this.#insert(tenant, sealed);
    failpoint("delivery.recorded");
    return deliveries.map((delivery) => {
      const name = nameOf(delivery.match.providerId, delivery.providerDeliveryId);
      const earlier = known.get(name);
      const own = first.get(name);
      const row = earlier ?? ownRow(own);
      const isEqual = row.body_sha256 === delivery.bodySha256.toString("hex");
      if (!isEqual) return "Conflict";
      return {
        deliveryId: encodeId("whd", row.delivery_id),
        normalizedEventType: row.normalized_event_type,
        isDuplicate: earlier !== undefined || own?.source !== delivery,
      };
    });
  }

  #sealed(tenant: Tenant, delivery: NewDelivery): SealedDelivery {
    const deliveryId = newId("whd");
    const sealed = this.#seal.seal(Buffer.from(delivery.payload), payloadOwner(tenant.tenantId, deliveryId));
    return {
      ...delivery,
      source: delivery,
      deliveryId,
      runId: newId("run"),
      keyId: sealed.keyId,
      wrappedKey: sealed.wrappedKey.toString("base64"),
      ciphertext: sealed.ciphertext.toString("base64"),
    };
  }

  /** Returns the rows that were there before. */
  async #insert(tenant: Tenant, deliveries: readonly SealedDelivery[]): Promise<Map<string, KnownRow>> {
    const cause = { trace: deliveries[0]?.trace ?? continueTrace(undefined) };
    for (let tries = 0; ; tries++) {
      try {
        return await this.#database.transaction(tenant, cause, (transaction) =>
          tries === 0 ? insertAll(transaction, deliveries) : insertUnknown(transaction, deliveries),
        );
      } catch (error) {
        if (tries === maxTries || violatedUnique(error) !== uniqueKey) throw error;
      }
    }
  }
}

const nameOf = (providerId: string, providerDeliveryId: string): string => `${providerId} ${providerDeliveryId}`;

function ownRow(delivery: SealedDelivery | undefined): KnownRow {
  if (!delivery) throw new Error("A delivery was not recorded");
  const { match, providerDeliveryId, deliveryId, normalizedEventType, bodySha256 } = delivery;
  return {
    provider_id: match.providerId,
    provider_delivery_id: providerDeliveryId,
    delivery_id: decodeId("whd", deliveryId) ?? "",
    normalized_event_type: normalizedEventType,
    body_sha256: bodySha256.toString("hex"),
  };
}

async function insertUnknown(
  transaction: Transaction,
  deliveries: readonly SealedDelivery[],
): Promise<Map<string, KnownRow>> {
  const { execute, defer, tenant } = transaction;
  const rows = await execute<KnownRow>(knownDeliveries, [
    tenant.uuid,
    deliveries.map(({ match }) => decodeId("prv", match.providerId)),
    deliveries.map(({ providerDeliveryId }) => providerDeliveryId),
  ]);
  const known = new Map(rows.map((row) => [nameOf(encodeId("prv", row.provider_id), row.provider_delivery_id), row]));
  if (rows.length > 0) await defer(retryFailed, [tenant.uuid, rows.map(({ delivery_id }) => delivery_id)]);
  const unknown = deliveries.filter(
    ({ match, providerDeliveryId }) => !known.has(nameOf(match.providerId, providerDeliveryId)),
  );
  if (unknown.length > 0) await insertAll(transaction, unknown);
  return known;
}

async function insertAll(
  transaction: Transaction,
  deliveries: readonly SealedDelivery[],
): Promise<Map<string, KnownRow>> {
  const { tenant, record } = transaction;
  const column = (read: (delivery: SealedDelivery) => unknown) => deliveries.map(read);
  const values = [
    tenant.uuid,
    column(({ deliveryId }) => decodeId("whd", deliveryId)),
    column(({ match }) => decodeId("prv", match.providerId)),
    column(({ match }) => match.providerKey),
    column(({ providerDeliveryId }) => providerDeliveryId),
    column(({ eventName }) => eventName),
    column(({ normalizedEventType }) => normalizedEventType),
    column(({ bodySha256 }) => bodySha256.toString("hex")),
    column(({ keyId }) => keyId),
    column(({ wrappedKey }) => wrappedKey),
    column(({ ciphertext }) => ciphertext),
    column(({ match }) => (match.subscriptionId === null ? null : decodeId("whs", match.subscriptionId))),
    column(({ match }) => (match.connectionId === null ? null : decodeId("con", match.connectionId))),
    column(({ runId }) => decodeId("run", runId)),
    column(({ trace }) => trace.traceId),
    column(({ account }) => account ?? null),
  ];
  const placed = await insertRows(transaction, deliveries, values);
  await startDeliveryRuns(
    transaction,
    deliveries.map(({ runId, deliveryId, trace }) => ({ runId, deliveryId, trace, ...placeOf(placed, deliveryId) })),
  );
  for (const delivery of deliveries) {
    const { deliveryId, runId, match, providerDeliveryId, eventName, normalizedEventType, trace } = delivery;
    const { providerId, providerKey, subscriptionId } = match;
    const { connectionId, projectId } = placeOf(placed, deliveryId);
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
  failpoint("delivery.recording");
  return new Map();
}

/** Needs the answer of the database, and so a round trip of its own, only where a delivery may have a connection. */
async function insertRows(
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

function placeOf(placed: ReadonlyMap<string, PlacedRow>, deliveryId: string) {
  const { connection_id = null, project_id: projectId = null } = placed.get(deliveryId) ?? {};
  return { connectionId: connection_id === null ? null : encodeId("con", connection_id), projectId };
}
