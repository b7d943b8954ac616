import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { FailureStreaks } from "../webhook-subscriptions/failure-streaks.js";
import type { WebhookSubscriptionService } from "../webhook-subscriptions/webhook-subscription.service.js";
import {
  planAttemptsByKeys,
  recordAttempts,
  recordValues,
  skipMessages,
  skipWithoutEvent,
} from "./attempt-statement.js";
import type { MadeAttempt } from "./make-attempt.js";
import type { ClaimedMessage } from "./message-claims.js";

/** An attempt, with what it means for its lane and its subscription. */
interface AttemptResult extends MadeAttempt {
  readonly lane: WebhookLane;
  /** True when the subscription's earlier attempts failed and none has succeeded since. */
  readonly failing: boolean;
  /** True when the tenant was told of these failures. */
  readonly warned: boolean;
  /** True for the single attempt that tests whether a receiver answers again. */
  readonly probe: boolean;
}

interface Entry {
  readonly result: AttemptResult;
  readonly done: () => void;
}

const writersAtOnce = 4;
const batchSize = 100;
const retryMs = 1000;
/** The failed attempt after which the tenant is told that the message's receiver fails. */
const warningAttempt = 4;
/** After this time the claim has nearly ended, and the message will be sent again. */
const giveUpAfterMs = 25_000;

/**
 * Stores attempt results. Results for one tenant that arrive while earlier ones are stored are written in one
 * transaction. A result that needs an event has its own transaction, because the event names its cause.
 */
export class AttemptRecords {
  readonly #database: Database;
  readonly #subscriptions: WebhookSubscriptionService;
  readonly #streaks: FailureStreaks;
  readonly #logger: Logger;
  readonly #waiting = new Map<string, Entry[]>();
  readonly #written = new Set<string>();
  #stopping = false;

  constructor(database: Database, subscriptions: WebhookSubscriptionService, streaks: FailureStreaks, logger: Logger) {
    this.#database = database;
    this.#subscriptions = subscriptions;
    this.#streaks = streaks;
    this.#logger = logger;
  }

  /**
   * Resolves when the result is stored or given up. In the second case the message is due again when its claim ends.
   */
  add(result: AttemptResult): Promise<void> {
    return new Promise((resolve) => {
      const { tenant } = result.lane;
      const entries = this.#waiting.get(tenant);
      if (entries) entries.push({ result, done: resolve });
      else this.#waiting.set(tenant, [{ result, done: resolve }]);
      this.#next();
    });
  }

  /** From now on a result is given up when the database does not answer. */
  stop(): void {
    this.#stopping = true;
  }

  /**
   * Skips messages for a subscription that is not Active, and returns whether there may be more, and their keys. None
   * is skipped when the subscription is Active.
   */
  async skip(
    lane: WebhookLane,
    messages: readonly ClaimedMessage[],
  ): Promise<{ skipped: boolean; more: boolean; keys: readonly string[] }> {
    const values = skipMessages.valuesOf({ ...lane, claimed: messages.map(({ messageId }) => messageId) });
    // Planned anew each time: a plan that is kept may read all messages that wait.
    const skippedRows = await this.#inTenant(lane, ({ execute }) =>
      execute<{ partition_key: string | null }>(skipMessages.text, values),
    );
    const keys = new Set(skippedRows.flatMap(({ partition_key: key }) => key ?? []));
    return { skipped: skippedRows.length > 0, more: skippedRows.length > messages.length, keys: [...keys] };
  }

  async skipWithoutEvent(lane: WebhookLane, { messageId, claim }: ClaimedMessage): Promise<void> {
    await this.#inTenant(lane, ({ defer }) => defer(skipWithoutEvent, [lane.tenant, messageId, claim]));
  }

  #next(): void {
    for (const tenant of this.#waiting.keys()) {
      if (this.#written.size >= writersAtOnce) return;
      if (!this.#written.has(tenant)) void this.#write(tenant);
    }
  }

  async #write(tenant: string): Promise<void> {
    this.#written.add(tenant);
    const waiting = this.#waiting.get(tenant) ?? [];
    const entries = waiting.splice(0, batchSize);
    // A tenant with more results waits behind the other tenants.
    this.#waiting.delete(tenant);
    if (waiting.length > 0) this.#waiting.set(tenant, waiting);
    const results = entries.map(({ result }) => result);
    await this.#writePlain(results.filter(isPlain));
    for (const result of results) if (!isPlain(result)) await this.#persist([result], () => this.#writeAlone(result));
    for (const { done } of entries) done();
    this.#written.delete(tenant);
    this.#next();
  }

  async #writePlain(results: readonly AttemptResult[]): Promise<void> {
    const [first] = results;
    if (!first) return;
    const isWritten = await this.#persist(results, () =>
      this.#inTenant(first.lane, async (transaction) => {
        await transaction.defer(recordAttempts, recordValues(first.lane.tenant, results));
        const { recovered, fallen } = turns(results);
        if (recovered.length > 0) await this.#streaks.recordSuccesses(transaction, recovered);
        if (fallen.length > 0) await this.#streaks.recordFirstFailures(transaction, fallen);
      }),
    );
    // One result cannot be stored, so each is stored alone.
    if (!isWritten && results.length > 1) for (const result of results) await this.#writePlain([result]);
  }

  /** Stores a result that also changes the subscription's state or records an event. */
  async #writeAlone(result: AttemptResult): Promise<void> {
    const { lane, message, verdict, status, probe } = result;
    const { envelope } = message;
    const tenant = tenantWithId(encodeId("ten", lane.tenant));
    const cause = {
      trace: continueTrace(envelope?.traceparent),
      correlationId: envelope?.correlationid,
      causationId: envelope?.id,
    };
    const subscriptionId = encodeId("whs", lane.subscription);
    const { failure, statusCode, disable, kind } = verdict;
    await this.#database.transaction(tenant, cause, async (transaction) => {
      await transaction.defer(planAttemptsByKeys);
      const won = await transaction.execute(recordAttempts, recordValues(lane.tenant, [result]));
      if (won.length === 0) return;
      const subject = `webhook-subscriptions/${subscriptionId}`;
      const messageId = encodeId("msg", message.messageId);
      const facts = { subscriptionId, messageId, eventId: envelope?.id, eventType: envelope?.type };
      if (status === "Exhausted" || status === "Aborted")
        transaction.record({
          type: status === "Exhausted" ? "WebhookDeliveryExhausted" : "WebhookDeliveryAborted",
          subject,
          data: { ...facts, eventSubject: envelope?.subject, failure, statusCode },
        });
      if (disable) await this.#subscriptions.disable(transaction, subscriptionId, disable);
      const { subscription } = lane;
      if (kind === "delivered") {
        const failingSince = await this.#streaks.end(transaction, subscription);
        if (failingSince)
          transaction.record({ type: "WebhookDeliveryRecovered", subject, data: { ...facts, failingSince } });
        return;
      }
      const isExhausted = status === "Exhausted";
      const attempt = { hopeless: isExhausted || probe, warns: isExhausted || isWarning(result) };
      const failingSince = await this.#streaks.continue(transaction, subscription, attempt);
      if (failingSince && !isExhausted)
        transaction.record({
          type: "WebhookDeliveryFailing",
          subject,
          data: { ...facts, failure, statusCode, attempts: message.attempts + 1, failingSince },
        });
    });
  }

  /** False when the results cannot be stored as they are. */
  async #persist(results: readonly AttemptResult[], write: () => Promise<unknown>): Promise<boolean> {
    const until = Math.min(...results.map(({ startedAt }) => startedAt.getTime())) + giveUpAfterMs;
    for (;;) {
      try {
        await write();
        return true;
      } catch (error) {
        const isAway = isDatabaseUnavailable(error);
        if (isAway && !this.#stopping && Date.now() < until) await sleep(retryMs);
        else {
          this.#logger.warn(
            { err: error, attempts: results.length },
            "the outcome of webhook attempts was not recorded",
          );
          return isAway;
        }
      }
    }
  }

  #inTenant<T>({ tenant }: WebhookLane, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const cause = { trace: continueTrace(undefined) };
    return this.#database.transaction(tenantWithId(encodeId("ten", tenant)), cause, async (transaction) => {
      await transaction.defer(planAttemptsByKeys);
      return work(transaction);
    });
  }
}

/** True when the result records no event and changes only its subscription's failure streak. */
function isPlain(result: AttemptResult): boolean {
  const { status, verdict, probe, failing, warned } = result;
  if (verdict.disable) return false;
  if (status === "Delivered") return !(failing && warned);
  return status === "RetryScheduled" && !probe && !isWarning(result);
}

/** True when the tenant must learn that the receiver fails, as far as this process knows. */
const isWarning = ({ status, message, warned }: AttemptResult): boolean =>
  status === "RetryScheduled" && message.attempts - message.attemptsBefore + 1 >= warningAttempt && !warned;

/** The subscriptions whose failure streak ends or begins with the last result here. */
function turns(results: readonly AttemptResult[]): { recovered: string[]; fallen: string[] } {
  const last = new Map(results.map((result) => [result.lane.subscription, result]));
  const of = (failing: boolean, status: string) =>
    [...last].flatMap(([id, result]) => (result.failing === failing && result.status === status ? [id] : [])).sort();
  return { recovered: of(true, "Delivered"), fallen: of(false, "RetryScheduled") };
}
