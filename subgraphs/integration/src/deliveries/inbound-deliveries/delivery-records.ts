import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { isOutage } from "@factory/runtime/errors/unavailable";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ImmediateHandling } from "./immediate-handling.js";
import type { NewDelivery, RecordedDelivery } from "./new-delivery.js";
import { knownDeliveries, retryFailed } from "./record-statement.js";
import { insertRows, recordReception, type SealedDelivery } from "./recorded-rows.js";
import type { StoredDeliveryRow } from "./webhook-delivery.view.js";

/** The digest is hexadecimal. */
type KnownRow = Pick<
  StoredDeliveryRow,
  "provider_id" | "provider_delivery_id" | "delivery_id" | "normalized_event_type"
> & { body_sha256: string };

/** Races with other processes for the same ids. */
const maxTries = 3;
const uniqueKey = "webhook_deliveries_provider_delivery";

/** The associated data to which a delivery's payload is bound. */
export const payloadOwner = (tenantId: string, deliveryId: string): string => `${tenantId}|${deliveryId}`;

/** Called after the commit with deliveries that are still to be handled. */
type WaitingListener = () => void;

type Rules = Awaited<ReturnType<ImmediateHandling["rulesOf"]>>;

/** Every delivery is handled later. */
const later: Rules = () => undefined;

/**
 * Writes one tenant's verified deliveries in one transaction: their rows, their runs and their events, and handles
 * those that can be handled at once. It needs one round trip as long as all are new, and another one where a delivery
 * may have a connection.
 */
export class DeliveryRecords {
  readonly #database: Database;
  readonly #seal: EnvelopeSeal;
  readonly #listeners: WaitingListener[] = [];
  #handling: ImmediateHandling | undefined;

  constructor(database: Database, seal: EnvelopeSeal) {
    this.#database = database;
    this.#seal = seal;
  }

  handleAtOnce(handling: ImmediateHandling): void {
    this.#handling = handling;
  }

  onWaiting(listener: WaitingListener): void {
    this.#listeners.push(listener);
  }

  /** The outcomes, in the deliveries' order. */
  async write(tenant: Tenant, deliveries: readonly NewDelivery[]): Promise<RecordedDelivery[]> {
    const first = new Map<string, SealedDelivery>();
    for (const delivery of deliveries) {
      const name = nameOf(delivery.match.providerId, delivery.providerDeliveryId);
      if (!first.has(name)) first.set(name, this.#sealed(tenant, delivery));
    }
    // Sorted, so that two processes which insert the same ids do not wait for each other in a circle.
    const sealedDeliveries = [...first.entries()]
      .sort(([name], [other]) => (name < other ? -1 : 1))
      .map(([, delivery]) => delivery);
    const earlierRows = await this.#insert(tenant, sealedDeliveries);
    failpoint("delivery.recorded");
    return deliveries.map((delivery) => {
      const name = nameOf(delivery.match.providerId, delivery.providerDeliveryId);
      const earlier = earlierRows.get(name);
      const ownDelivery = first.get(name);
      const row = earlier ?? ownRow(ownDelivery);
      const isEqual = row.body_sha256 === delivery.bodySha256.toString("hex");
      if (!isEqual) return "Conflict";
      return {
        deliveryId: encodeId("whd", row.delivery_id),
        normalizedEventType: row.normalized_event_type,
        isDuplicate: earlier !== undefined || ownDelivery?.source !== delivery,
      };
    });
  }

  #sealed(tenant: Tenant, delivery: NewDelivery): SealedDelivery {
    const deliveryId = newId("whd");
    const sealedPayload = this.#seal.seal(Buffer.from(delivery.payload), payloadOwner(tenant.tenantId, deliveryId));
    return {
      ...delivery,
      source: delivery,
      deliveryId,
      runId: newId("run"),
      connectionId: null,
      projectId: null,
      keyId: sealedPayload.keyId,
      wrappedKey: sealedPayload.wrappedKey.toString("base64"),
      ciphertext: sealedPayload.ciphertext.toString("base64"),
    };
  }

  /** Returns the rows that were there before. */
  async #insert(tenant: Tenant, deliveries: readonly SealedDelivery[]): Promise<Map<string, KnownRow>> {
    const cause = { trace: deliveries[0]?.trace ?? continueTrace(undefined) };
    let rules = (await this.#handling?.rulesOf(tenant)) ?? later;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#database.transaction(tenant, cause, (transaction) =>
          tries === 0
            ? this.#insertAll(transaction, deliveries, rules)
            : this.#insertUnknown(transaction, deliveries, rules),
        );
      } catch (error) {
        if (tries === maxTries || isOutage(error)) throw error;
        if (violatedUnique(error) === uniqueKey) continue;
        // A delivery that cannot be handled must still be recorded.
        if (rules === later) throw error;
        rules = later;
      }
    }
  }

  async #insertUnknown(
    transaction: Transaction,
    deliveries: readonly SealedDelivery[],
    rules: Rules,
  ): Promise<Map<string, KnownRow>> {
    const { execute, defer, tenant } = transaction;
    const rows = await execute<KnownRow>(knownDeliveries, [
      tenant.uuid,
      deliveries.map(({ match }) => decodeId("prv", match.providerId)),
      deliveries.map(({ providerDeliveryId }) => providerDeliveryId),
    ]);
    const rowsByName = new Map(
      rows.map((row) => [nameOf(encodeId("prv", row.provider_id), row.provider_delivery_id), row]),
    );
    if (rows.length > 0) {
      await defer(retryFailed, [tenant.uuid, rows.map(({ delivery_id }) => delivery_id)]);
      transaction.afterCommit(() => this.#announce());
    }
    const unknown = deliveries.filter(
      ({ match, providerDeliveryId }) => !rowsByName.has(nameOf(match.providerId, providerDeliveryId)),
    );
    if (unknown.length > 0) await this.#insertAll(transaction, unknown, rules);
    return rowsByName;
  }

  async #insertAll(
    transaction: Transaction,
    deliveries: readonly SealedDelivery[],
    rules: Rules,
  ): Promise<Map<string, KnownRow>> {
    const states = deliveries.map(rules);
    const insertedRows = await insertRows(transaction, deliveries, states);
    for (const [place, delivery] of insertedRows.entries()) {
      recordReception(transaction, delivery);
      const state = states[place];
      if (state) this.#handling?.handle(transaction, delivery, state);
    }
    if (states.includes(undefined)) transaction.afterCommit(() => this.#announce());
    failpoint("delivery.recording");
    return new Map();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
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
