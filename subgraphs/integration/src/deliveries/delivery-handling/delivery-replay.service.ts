import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { RunService } from "../../runs/run.service.js";
import type { RunCounts } from "../../runs/run-counts.js";
import { endRun } from "../../runs/run-moves.js";
import type { WebhookDeliveryState } from "../inbound-deliveries/webhook-delivery.states.js";
import type { WebhookDeliveryReplayType } from "./delivery-replay.type.js";
import { lockDelivery, replayDelivery } from "./end-statement.js";

const replayable: readonly WebhookDeliveryState[] = ["DeadLettered", "Failed", "Processed"];

interface LockedDelivery {
  status: WebhookDeliveryState;
  run_id: string;
  has_payload: boolean;
  connection_id: string | null;
  project_id: string | null;
}

interface Services {
  readonly database: Database;
  readonly runs: RunService;
  readonly counts: RunCounts;
  readonly wake: () => void;
}

/** Handles deliveries again on request. */
export class DeliveryReplayService {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Makes a delivery due again, under a new run. Throws DELIVERY_NOT_FOUND or INVALID_STATE. */
  replay(context: RequestContext, deliveryId: string): Promise<WebhookDeliveryReplayType> {
    const { database, runs, wake } = this.#services;
    return idempotentMutation(database, context, {
      field: "replayWebhookDelivery",
      arguments: { deliveryId },
      audit: { subject: `webhook-deliveries/${deliveryId}` },
      commit: async (transaction) => {
        const { execute, defer, tenant, afterCommit } = transaction;
        const uuid = decodeId("whd", deliveryId);
        const [delivery] = uuid === undefined ? [] : await execute<LockedDelivery>(lockDelivery, [tenant.uuid, uuid]);
        if (!delivery) throw unknownDelivery();
        requireReplayable(delivery);
        await this.#supersede(transaction, encodeId("run", delivery.run_id));
        const { connection_id: connection, project_id: projectId } = delivery;
        const connectionId = connection === null ? null : encodeId("con", connection);
        const operation = "ProcessDelivery";
        const run = await runs.startIn(transaction, { operation, deliveryId, connectionId, projectId });
        await defer(replayDelivery, [tenant.uuid, uuid, decodeId("run", run.runId)]);
        afterCommit(wake);
        return { deliveryId, status: "Processing", runId: run.runId };
      },
    });
  }

  /** Ends a failed delivery's run. The delivery goes on under a new run. */
  async #supersede(transaction: Transaction, runId: string): Promise<void> {
    const detail = "The delivery was replayed under another run.";
    const endedRun = await endRun(transaction, runId, { status: "Cancelled", code: "RUN_CANCELLED", detail });
    if (endedRun) transaction.afterCommit(() => this.#services.counts.add("ProcessDelivery", "Cancelled"));
  }
}

function requireReplayable({ status, has_payload }: LockedDelivery): void {
  if (!replayable.includes(status))
    throw new DomainError("INVALID_STATE", {
      detail: `The delivery is ${status}. Only a delivery that is ${replayable.join(" or ")} can be replayed.`,
      currentState: status,
      allowed: replayable,
    });
  if (!has_payload)
    throw new DomainError("INVALID_STATE", {
      detail: "The payload of the delivery was deleted after its retention. Ask the vendor to send the delivery again.",
      currentState: status,
      allowed: replayable,
    });
}

const unknownDelivery = () =>
  new DomainError("DELIVERY_NOT_FOUND", { detail: "No webhook delivery with this id exists in this tenant." });
