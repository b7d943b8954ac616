import { randomInt } from "node:crypto";
import { isDatabaseOverload } from "@factory/runtime/errors/database-failure";
import { isOutage } from "@factory/runtime/errors/unavailable";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RunError } from "@factory/runtime/runs/run-error";
import type { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { correctedEventType } from "../../providers/normalized-events/corrected-event-type.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { RunCounts } from "../../runs/run-counts.js";
import { notifyRuns } from "../../runs/run-moves.js";
import { runErrorOf } from "../../runs/run-operations.js";
import { actionsOf, toldAction } from "../arrived-deliveries/told-action.js";
import { payloadOwner } from "../inbound-deliveries/delivery-records.js";
import { type ClaimedDelivery, causeOfDelivery, deliveryFacts, subjectOfDelivery } from "./claimed-delivery.js";
import type { DeliveryHandlers, OpenDelivery } from "./delivery-handlers.js";
import { type Payload, unparsedPayload } from "./delivery-payload.js";
import { projectsOfInbound } from "./delivery-project-statement.js";
import { endDeliveries, markIgnored, renameDelivery } from "./end-statement.js";

interface BatchServices {
  readonly database: Database;
  readonly handlers: DeliveryHandlers;
  /** Opens the payloads. */
  readonly seal: EnvelopeSeal;
  readonly providers: ProviderService;
  readonly facts: TenantFacts;
  readonly counts: RunCounts;
  readonly logger: Logger;
}

/** The delay after each failed attempt but the last one. */
const delaysSeconds = [1, 5, 30, 120];
/** How long a batch begins deliveries one by one. Its claims end soon after. */
const patienceMs = 20_000;

/** A delivery that can be handled, or the reason why not. */
type Prepared = { readonly delivery: ClaimedDelivery } & (
  | { readonly open: OpenDelivery; readonly isRenamed: boolean }
  | { readonly error: RunError }
);

/** Handles one tenant's claimed deliveries, in one transaction where that is possible. */
export class DeliveryBatches {
  readonly #services: BatchServices;

  constructor(services: BatchServices) {
    this.#services = services;
  }

  /** Throws when the database does not answer or has too much to do: then the claims end by themselves. */
  async handle(tenantUuid: string, deliveries: readonly ClaimedDelivery[]): Promise<void> {
    const tenant = tenantWithId(encodeId("ten", tenantUuid));
    const giveUpAt = performance.now() + patienceMs;
    const batch = await this.#prepare(tenant, deliveries);
    try {
      await this.#commit(tenant, batch);
    } catch (error) {
      if (isOutage(error)) throw error;
      await this.#commitEach(tenant, batch, giveUpAt);
    }
    failpoint("delivery.ended");
  }

  async #prepare(tenant: Tenant, deliveries: readonly ClaimedDelivery[]): Promise<Prepared[]> {
    const facts = await this.#services.facts.of(tenant.tenantId);
    const providers = new Map<string, ProviderRecord | undefined>();
    for (const { provider_id: id } of deliveries)
      if (!providers.has(id)) providers.set(id, await this.#services.providers.record(tenant, encodeId("prv", id)));
    const projects = await this.#inboundProjects(tenant, deliveries);
    return deliveries.map((row) => {
      const project_id = row.project_id ?? projects.get(row.subscription_id ?? "") ?? null;
      const delivery = { ...row, project_id };
      try {
        const provider = providers.get(delivery.provider_id);
        const payload = this.#payloadOf(delivery);
        const type = presentType(delivery, provider, payload);
        const renamedDelivery = { ...delivery, normalized_event_type: type };
        const isRenamed = type !== delivery.normalized_event_type;
        return {
          delivery: renamedDelivery,
          isRenamed,
          open: { tenant, delivery: renamedDelivery, payload, provider, facts },
        };
      } catch (error) {
        this.#services.logger.error(
          { err: error, deliveryId: encodeId("whd", delivery.delivery_id) },
          "the payload of a delivery cannot be opened",
        );
        return { delivery, error: { code: "SECRET_STORE_UNAVAILABLE", detail: "The payload cannot be opened." } };
      }
    });
  }

  /** The Inbound subscriptions' projects, for deliveries whose connection gives no project. */
  async #inboundProjects(tenant: Tenant, deliveries: readonly ClaimedDelivery[]): Promise<Map<string, string>> {
    const subscriptions = deliveries.flatMap(({ project_id, subscription_id }) =>
      project_id === null && subscription_id !== null ? [subscription_id] : [],
    );
    if (subscriptions.length === 0) return new Map();
    const { reader } = this.#services.database;
    const rows = await reader.rows<{ subscription_id: string; project_id: string }>(
      projectsOfInbound,
      tenant,
      subscriptions,
    );
    return new Map(rows.map(({ subscription_id, project_id }) => [subscription_id, project_id]));
  }

  #payloadOf({ tenant_id, delivery_id, key_id, wrapped_key, ciphertext }: ClaimedDelivery): OpenDelivery["payload"] {
    if (key_id === null || wrapped_key === null || ciphertext === null) return { value: null, bytes: 4 };
    const owner = payloadOwner(encodeId("ten", tenant_id), encodeId("whd", delivery_id));
    const sealedPayload = { keyId: key_id, wrappedKey: wrapped_key, ciphertext };
    return unparsedPayload(this.#services.seal.open(sealedPayload, owner).toString());
  }

  /**
   * One delivery breaks the transaction for all, so each has its own, and the one that breaks fails. A statement that
   * was too much for the database costs an attempt only where no other delivery has the same trouble and one has none.
   * The first delivery is chosen at random, so that one that takes all the time does not always hold up the same
   * others.
   */
  async #commitEach(tenant: Tenant, batch: readonly Prepared[], giveUpAt: number): Promise<void> {
    const first = randomInt(batch.length);
    const tooMuch: { readonly delivery: ClaimedDelivery; readonly error: unknown }[] = [];
    let isAnswering = false;
    for (const entry of [...batch.slice(first), ...batch.slice(0, first)]) {
      if (performance.now() > giveUpAt) break;
      try {
        await this.#commit(tenant, [entry]);
        isAnswering = true;
      } catch (error) {
        if (isOutage(error)) throw error;
        if (isDatabaseOverload(error)) tooMuch.push({ delivery: entry.delivery, error });
        else {
          await this.#fail(tenant, entry.delivery, error);
          isAnswering = true;
        }
      }
    }
    const [failure, ...others] = tooMuch;
    if (!failure) return;
    if (!isAnswering || others.length > 0) throw failure.error;
    await this.#fail(tenant, failure.delivery, failure.error);
  }

  async #fail(tenant: Tenant, delivery: ClaimedDelivery, error: unknown): Promise<void> {
    const deliveryId = encodeId("whd", delivery.delivery_id);
    this.#services.logger.warn({ err: error, deliveryId }, "a delivery was not handled");
    await this.#commit(tenant, [{ delivery, error: runErrorOf(error) }]);
  }

  /** Stores the outcomes, which locks the deliveries, then applies the handlers where the claim still held. */
  #commit(tenant: Tenant, batch: readonly Prepared[]): Promise<void> {
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    return this.#services.database.transaction(tenant, cause, async (transaction) => {
      const outcomes = batch.map(outcomeOf);
      const values = endDeliveries.valuesOf({
        tenant: tenant.uuid,
        ids: batch.map(({ delivery }) => delivery.delivery_id),
        claims: batch.map(({ delivery }) => delivery.claims),
        states: outcomes.map(({ status }) => status),
        delays: outcomes.map(({ delay }) => delay),
        codes: outcomes.map(({ error }) => error?.code ?? null),
        details: outcomes.map(({ error }) => error?.detail ?? null),
      });
      const endedRows = await transaction.execute<EndedDelivery>(endDeliveries, values);
      const heldIds = new Set(endedRows.map(({ delivery_id }) => delivery_id));
      for (const [place, entry] of batch.entries()) {
        const outcome = outcomes[place];
        if (outcome && heldIds.has(entry.delivery.delivery_id)) await this.#apply(transaction, entry, outcome);
      }
      notifyRuns(
        transaction,
        endedRows.map(({ run_id, run_status }) => ({ run: run_id, status: run_status })),
      );
      transaction.afterCommit(() => {
        for (const { run_status } of endedRows) this.#services.counts.add("ProcessDelivery", run_status);
      });
      failpoint("delivery.ending");
    });
  }

  async #apply(transaction: Transaction, entry: Prepared, { status, error }: Outcome): Promise<void> {
    const { delivery } = entry;
    const facts = deliveryFacts(delivery);
    const about = subjectOfDelivery(delivery);
    const cause = causeOfDelivery(delivery);
    const attempts = delivery.attempts + 1;
    if ("open" in entry) {
      if (entry.isRenamed)
        await transaction.defer(renameDelivery, [
          ...[delivery.tenant_id, delivery.delivery_id, delivery.normalized_event_type],
        ]);
      const isHandled = await this.#services.handlers.handle(transaction, entry.open);
      const data = { ...facts, attempts };
      if (isHandled) transaction.record({ type: "WebhookDeliveryProcessed", ...about, data }, cause);
      else {
        await transaction.defer(markIgnored, [delivery.tenant_id, delivery.delivery_id]);
        transaction.record({ type: "WebhookDeliveryIgnored", ...about, data }, cause);
      }
    } else if (status === "DeadLettered")
      transaction.record({ type: "WebhookDeliveryDeadLettered", ...about, data: { ...facts, attempts, error } }, cause);
  }
}

/** Deliveries from earlier releases may have a type that says the opposite. */
function presentType(delivery: ClaimedDelivery, provider: ProviderRecord | undefined, payload: Payload): string {
  const { event_name: eventName, normalized_event_type: normalizedEventType } = delivery;
  if (!provider) return normalizedEventType;
  const { key, preset } = provider;
  const places = actionsOf({ providerKey: key, preset });
  return correctedEventType({ key, preset }, { eventName, normalizedEventType }, (event) =>
    toldAction(places, event, payload.value),
  );
}

interface EndedDelivery {
  delivery_id: string;
  run_id: string;
  run_status: "Completed" | "RetryScheduled" | "Failed";
}

interface Outcome {
  readonly status: "Processed" | "Failed" | "DeadLettered";
  readonly delay: number | null;
  readonly error: RunError | null;
}

function outcomeOf(entry: Prepared): Outcome {
  if ("open" in entry) return { status: "Processed", delay: null, error: null };
  const { error, delivery } = entry;
  const delay = delaysSeconds[delivery.attempts];
  return delay === undefined ? { status: "DeadLettered", delay: null, error } : { status: "Failed", delay, error };
}
