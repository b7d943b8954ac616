import type { Principal } from "@factory/runtime/auth/principal";
import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, requireSameTenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { allEventTypes, isEventType, mayRead, requireReadable } from "../../event-types/event-access/event-access.js";
import type { RunService } from "../../runs/run.service.js";
import { isFinal, type RunState } from "../../runs/run.states.js";
import type { RunRecord } from "../../runs/run-record.js";
import { lockedSubscription } from "../webhook-subscriptions/locked-subscription.js";
import type { SubscriptionRecord } from "../webhook-subscriptions/webhook-subscription.view.js";
import { type ReplayPayload, reachedBy } from "./replay-record.js";
import { checkedSelection, type ReplaySelection, requireNothingElse } from "./replay-selection.js";
import { lockedReplay, noteContinuation, openReplaysOfTenant } from "./run-statement.js";
import type { ReplayWebhookMessagesInput } from "./webhook-replay.input.js";

/** A tenant may have four runs at the same time. One place is left for its other work. */
const openPerTenant = 3;
const retryAfterSeconds = 30;

const lock = { name: "webhook_replays_lock", text: "select pg_advisory_xact_lock(hashtextextended($1, 0))" };

interface FormerReplay {
  status: RunState;
  payload: ReplayPayload & Record<string, unknown>;
  checkpoint: Record<string, unknown> | null;
}

/** Starts webhook replays. */
export class WebhookReplayService {
  readonly #database: Database;
  readonly #runs: RunService;

  constructor(database: Database, runs: RunService) {
    this.#database = database;
    this.#runs = runs;
  }

  /**
   * Starts a run that sends again what was meant for an Active subscription. Throws WEBHOOK_SUBSCRIPTION_NOT_FOUND,
   * INVALID_STATE, CONFLICT, RATE_LIMITED, REFERENCE_NOT_FOUND, INSUFFICIENT_SCOPE, and errors about the selection.
   */
  async start(context: RequestContext, subscriptionId: string, input: ReplayWebhookMessagesInput): Promise<RunRecord> {
    requireSameTenant(context, input.tenantId);
    return idempotentMutation(this.#database, context, {
      field: "replayWebhookMessages",
      arguments: { subscriptionId, input },
      commit: async (transaction) => {
        const subscription = await lockedSubscription(transaction, subscriptionId);
        requireReceiver(subscription);
        const wantedPayload = await this.#payload(transaction, subscription, input);
        const selection = readableSelection(wantedPayload.selection, subscription.eventType, principalOf(context));
        const payload = { ...wantedPayload, selection };
        await this.#requireRoom(transaction, subscription);
        const operation = "ReplayDeliveries";
        const run = await this.#runs.startIn(transaction, {
          operation,
          projectId: subscription.projectId,
          payload: { ...payload },
        });
        if (input.continueRunId != null) {
          const former = decodeId("run", input.continueRunId);
          await transaction.defer(noteContinuation, [transaction.tenant.uuid, former, run.runId]);
        }
        return run;
      },
    });
  }

  async #payload(
    transaction: Transaction,
    { subscriptionId }: SubscriptionRecord,
    input: ReplayWebhookMessagesInput,
  ): Promise<ReplayPayload> {
    const { continueRunId } = input;
    if (continueRunId == null) {
      const selection = checkedSelection(input, new Date());
      return { subscriptionId, selection, continues: null, replay: null, from: null };
    }
    requireNothingElse(input);
    const former = await lockedFormer(transaction, continueRunId);
    if (former?.payload.subscriptionId !== subscriptionId) throw unknownReplay();
    requireContinuable(former);
    const { selection, replay } = former.payload;
    const from = reachedBy(former);
    return { subscriptionId, selection, continues: continueRunId, replay: replay ?? continueRunId, from };
  }

  /** The lock lasts until the transaction ends, so that requests at the same time cannot exceed the limit together. */
  async #requireRoom({ defer, execute, tenant }: Transaction, { subscriptionId }: SubscriptionRecord): Promise<void> {
    await defer(lock, [hashedLocks.webhookReplays(tenant.tenantId)]);
    const open = await execute<{ run_id: string; subscription_id: string }>(openReplaysOfTenant, [tenant.uuid]);
    const openRun = open.find(({ subscription_id }) => subscription_id === subscriptionId);
    if (openRun) {
      const runId = encodeId("run", openRun.run_id);
      throw new DomainError("CONFLICT", {
        detail: `The replay ${runId} of this subscription has not ended. Wait for its end, or cancel it.`,
        runId,
      });
    }
    if (open.length >= openPerTenant)
      throw new DomainError("RATE_LIMITED", {
        detail: `The tenant has ${open.length} replays that have not ended, which is the limit. Wait for the end of one, or cancel one.`,
        retryAfterSeconds,
      });
  }
}

async function lockedFormer({ execute, tenant }: Transaction, runId: string): Promise<FormerReplay | undefined> {
  const uuid = decodeId("run", runId);
  return uuid === undefined ? undefined : (await execute<FormerReplay>(lockedReplay, [tenant.uuid, uuid]))[0];
}

function requireReceiver({ status, endpointUrl }: SubscriptionRecord): void {
  if (endpointUrl === null)
    throw new DomainError("INVALID_STATE", {
      detail: "The subscription verifies deliveries of a vendor and sends nothing, so nothing can be replayed.",
      currentState: status,
    });
  if (status !== "Active")
    throw new DomainError("INVALID_STATE", {
      detail: `The webhook subscription is ${status}. Resume it first.`,
      currentState: status,
      allowed: ["Active"],
    });
}

const continuable: readonly RunState[] = ["Cancelled", "Failed", "TimedOut"];

function requireContinuable({ status, payload }: FormerReplay): void {
  const { continuedBy } = payload;
  if (continuedBy !== undefined)
    throw new DomainError("CONFLICT", {
      detail: `The replay was continued by ${continuedBy} already. Continue that run instead.`,
      runId: continuedBy,
    });
  if (continuable.includes(status)) return;
  throw new DomainError("INVALID_STATE", {
    detail: isFinal(status)
      ? `The replay is ${status}, so nothing is left to be continued.`
      : `The replay is ${status}. Wait for its end, or cancel it first.`,
    currentState: status,
    allowed: continuable,
  });
}

function unknownReplay(): DomainError {
  const detail = "The value must be the ID of a replay of this webhook subscription.";
  return new DomainError("REFERENCE_NOT_FOUND", {
    detail: "The replay to be continued does not exist.",
    errors: [{ pointer: "/input/continueRunId", code: "REFERENCE_NOT_FOUND", detail }],
  });
}

/**
 * The selection without kept messages whose type the caller may not read: the present endpoint may be one that the
 * caller chose for another type. The subscription's present type is always included: to choose its endpoint, one needed
 * the right to read it. Throws INSUFFICIENT_SCOPE or PLATFORM_ADMIN_REQUIRED for a type that the selection names.
 */
function readableSelection(selection: ReplaySelection, ownType: string | null, principal: Principal): ReplaySelection {
  const others = (selection.types ?? allEventTypes).filter(isEventType).filter((type) => type !== ownType);
  if (selection.types !== null) {
    requireReadable(others, principal);
    return selection;
  }
  const readable = others.filter((type) => mayRead(type, principal));
  if (readable.length === others.length) return selection;
  return { ...selection, types: ownType === null ? readable : [ownType, ...readable] };
}
