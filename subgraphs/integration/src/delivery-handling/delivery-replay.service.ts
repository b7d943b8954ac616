import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { WebhookDeliveryState } from "../inbound-deliveries/webhook-delivery.states.js";
import type { RunService } from "../runs/run.service.js";
import type { WebhookDeliveryReplayType } from "./delivery-replay.type.js";
import { lockDelivery, replayDelivery, supersedeRun } from "./end-statement.js";

const replayable: readonly WebhookDeliveryState[] = ["DeadLettered", "Failed", "Processed"];

interface LockedDelivery {
  status: WebhookDeliveryState;
  run_id: string;
  has_payload: boolean;
  connection_id: string | null;
  project_id: string | null;
}

/** Handles deliveries again on request. */
export class DeliveryReplayService {
  readonly #database: Database;
  readonly #runs: RunService;
  readonly #wake: () => void;

  constructor(database: Database, runs: RunService, wake: () => void) {
    this.#database = database;
    this.#runs = runs;
    this.#wake = wake;
  }

  /** Makes a delivery due again, under a new run. Throws DELIVERY_NOT_FOUND or INVALID_STATE. */
  replay(context: RequestContext, deliveryId: string): Promise<WebhookDeliveryReplayType> {
    return idempotentMutation(this.#database, context, {
      field: "replayWebhookDelivery",
      arguments: { deliveryId },
      audit: { subject: `webhook-deliveries/${deliveryId}` },
      commit: async (transaction) => {
        const { execute, defer, tenant, afterCommit } = transaction;
        const uuid = decodeId("whd", deliveryId);
        const [delivery] = uuid === undefined ? [] : await execute<LockedDelivery>(lockDelivery, [tenant.uuid, uuid]);
        if (!delivery) throw unknownDelivery();
        requireReplayable(delivery);
        await defer(supersedeRun, [tenant.uuid, delivery.run_id]);
        const { connection_id: connection, project_id: projectId } = delivery;
        const connectionId = connection === null ? null : encodeId("con", connection);
        const operation = "ProcessDelivery";
        const run = await this.#runs.startIn(transaction, { operation, deliveryId, connectionId, projectId });
        await defer(replayDelivery, [tenant.uuid, uuid, decodeId("run", run.runId)]);
        afterCommit(this.#wake);
        return { deliveryId, status: "Processing", runId: run.runId };
      },
    });
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
