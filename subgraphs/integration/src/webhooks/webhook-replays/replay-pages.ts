import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { storeProgress } from "../../runs/run-moves.js";
import { type RunRecord, runTable } from "../../runs/run-record.js";
import { originOf } from "../webhook-messages/webhook-lane.js";
import type { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import type { StoredSubscriptionRow } from "../webhook-subscriptions/webhook-subscription.view.js";
import { type ReplayReceiver, readPage, releasePage } from "./page-rows.js";
import { countSelected, readInOrder, receiverOfReplay, waitingOfReceiver } from "./page-statement.js";
import type { ReceiverFlow } from "./receiver-flow.js";
import {
  type ReplayCheckpoint,
  type ReplayPayload,
  type ReplayProgress,
  replayPayload,
  restOf,
} from "./replay-record.js";

/** How far a replay is. The progress is null before its first page. */
export interface ReplayState {
  readonly checkpoint: ReplayCheckpoint;
  readonly progress: ReplayProgress | null;
}

interface Page {
  readonly state: ReplayState;
  readonly kind: "more" | "full" | "end";
  readonly released: number;
  /** The time until the first waiting message is due. */
  readonly dueInSeconds: number | null;
}

const messagesPerPage = 500;
/** The waiting messages that are counted, a bit more than a replay lets wait. */
const countedWaiting = 4000;
/** In a period with more messages the selected ones are replayed as well, but their number is not shown. */
const countedTotal = 200_000;

type ReceiverRow = Omit<ReplayReceiver, "origin"> &
  Pick<StoredSubscriptionRow, "status" | "endpoint_url"> & { per_second: number | null };

/** Makes the messages in replays due, page by page. */
export class ReplayPages {
  readonly #database: Database;
  readonly #messages: WebhookMessageService;

  constructor(database: Database, messages: WebhookMessageService) {
    this.#database = database;
    this.#messages = messages;
  }

  /**
   * Makes the next messages due and stores how far the run has come, in one transaction. Throws RunLost, and INVALID_STATE
   * for a subscription that is not Active. `flow` only learns, so it may be asked twice.
   */
  next(run: RunRecord, cause: Cause, { flow, state }: { flow: ReceiverFlow; state: ReplayState }): Promise<Page> {
    return this.#database.transaction(tenantWithId(run.tenantId), cause, async (transaction) => {
      const { defer, execute, tenant } = transaction;
      const payload = replayPayload(run);
      await defer(readInOrder);
      const subscription = decodeId("whs", payload.subscriptionId) ?? "";
      const [row] = await execute<ReceiverRow>(receiverOfReplay, [tenant.uuid, subscription]);
      if (row?.status !== "Active" || row.endpoint_url === null) throw notActive(row?.status ?? "Deleted");
      const receiver = { ...row, origin: originOf(row.endpoint_url) };
      const { origin } = receiver;
      const values = waitingOfReceiver.valuesOf({ tenant: tenant.uuid, subscription, origin, limit: countedWaiting });
      const [lane] = await execute<{ waiting: number; due_in_seconds: number | null }>(waitingOfReceiver, values);
      const { waiting = 0, due_in_seconds: dueInSeconds = null } = lane ?? {};
      const room = Math.min(messagesPerPage, flow.room(waiting, row.per_second, performance.now()));
      if (room === 0) return { state, kind: "full", released: 0, dueInSeconds };
      const page = await this.#release(transaction, { run, payload, subscription, receiver, room, state });
      await storeProgress(transaction, run, { progress: page.state.progress ?? {}, checkpoint: page.state.checkpoint });
      failpoint("webhookReplays.paging");
      return { ...page, dueInSeconds };
    });
  }

  async #release(
    transaction: Transaction,
    parts: {
      run: RunRecord;
      payload: ReplayPayload;
      subscription: string;
      receiver: ReplayReceiver;
      room: number;
      state: ReplayState;
    },
  ): Promise<Omit<Page, "dueInSeconds">> {
    const { run, payload, subscription, receiver, room, state } = parts;
    const { checkpoint } = state;
    const replay = runTable.uuid(payload.replay ?? run.runId);
    const progress = state.progress ?? (await firstProgress(transaction, run, subscription));
    const page = await readPage(transaction, { payload, subscription, receiver, replay, checkpoint, room });
    const { created, reopened, keys } = await releasePage(transaction, { subscription, receiver, replay }, page.taken);
    const releasedCount = created + reopened;
    if (releasedCount > 0) {
      const lane = { tenant: transaction.tenant.uuid, origin: receiver.origin, subscription };
      this.#messages.announce(transaction, lane, keys);
    }
    const { stage } = checkpoint;
    const place = page.place ?? checkpoint.place;
    return {
      released: releasedCount,
      kind: page.more || stage === "skipped" ? "more" : "end",
      state: {
        checkpoint: stage === "skipped" && !page.more ? { stage: "rest", place: restOf(run) } : { stage, place },
        progress: {
          ...progress,
          replayed: progress.replayed + releasedCount,
          unsent: progress.unsent + created,
          passedOver: progress.passedOver + page.selected - releasedCount,
          reachedAt: stage === "rest" ? new Date(place.at).toISOString() : progress.reachedAt,
        },
      },
    };
  }
}

async function firstProgress(
  { execute, tenant }: Transaction,
  run: RunRecord,
  subscription: string,
): Promise<ReplayProgress> {
  const { selection, continues } = replayPayload(run);
  const { until, states, types, unsent } = selection;
  const { at, position } = restOf(run);
  const filters = { tenant: tenant.uuid, subscription, at, position, until, states, types };
  const values = countSelected.valuesOf({ ...filters, limit: countedTotal + 1 });
  const [countedRow] = unsent ? [] : await execute<{ read: number; selected: number }>(countSelected, values);
  const total = countedRow && countedRow.read <= countedTotal ? countedRow.selected : null;
  return { replayed: 0, unsent: 0, passedOver: 0, total, reachedAt: null, continues };
}

function notActive(status: string): DomainError {
  return new DomainError("INVALID_STATE", {
    detail: `The webhook subscription is ${status}. When it is Active again, another replay can continue this one with continueRunId.`,
    currentState: status,
  });
}
