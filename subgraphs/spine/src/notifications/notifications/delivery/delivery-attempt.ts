import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { SendOptions } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { DeliveryLane } from "../record/delivery-lane.js";
import { planByKeys } from "../record/plan-by-keys.js";
import type { Delivery, DeliveryOutcome, QueuedNotification } from "./channel-driver.js";
import { deliveryJobs } from "./deliver-notification-job.js";
import { changeLane, lockQueued, lockUnhanded, wait } from "./delivery-statement.js";
import { settleNotification } from "./settle-notification.js";

interface AttemptParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly cause: Cause;
  readonly notification: QueuedNotification;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly lane: DeliveryLane;
}

/** A job's attempt to deliver a notification. */
export class DeliveryAttempt implements Delivery {
  readonly #parts: AttemptParts;
  #ended = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  get notification(): QueuedNotification {
    return this.#parts.notification;
  }

  get attempt(): number {
    return this.#parts.attempt;
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  get lane(): DeliveryLane {
    return this.#parts.lane;
  }

  /** Whether the driver has ended the attempt. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  settle(outcome: DeliveryOutcome, also?: (transaction: Transaction) => Promise<void>): Promise<boolean> {
    return this.#end(async (transaction) => {
      const isSettled = await settleNotification(transaction, this.notification.notificationId, outcome);
      if (isSettled) await also?.(transaction);
      return isSettled;
    });
  }

  handOver(answerBy: Date, work: (transaction: Transaction) => Promise<string>): Promise<boolean> {
    return this.#whileQueued(async (transaction) => {
      await this.#wait(transaction, answerBy, await work(transaction));
    }, lockUnhanded);
  }

  postpone(until: Date, also?: (transaction: Transaction) => Promise<void>): Promise<boolean> {
    return this.#whileQueued(async (transaction) => {
      await also?.(transaction);
      await this.#wait(transaction, until, null);
      await this.#sendJob(transaction, this.lane, { startAfter: until });
    });
  }

  continueIn(lane: DeliveryLane): Promise<boolean> {
    return this.#whileQueued(async (transaction) => {
      const changedRows = await transaction.execute(changeLane, [...this.#key(), lane]);
      if (changedRows.length > 0) await this.#sendJob(transaction, lane);
    });
  }

  #sendJob(transaction: Transaction, lane: DeliveryLane, options: SendOptions = {}): Promise<void> {
    const { notificationId, tenant } = this.notification;
    const payload = { tenantId: tenant.tenantId, notificationId };
    return this.#parts.jobs.send(transaction, deliveryJobs[lane], payload, options);
  }

  #whileQueued(work: (transaction: Transaction) => Promise<void>, lock = lockQueued): Promise<boolean> {
    return this.#end(async (transaction) => {
      const queuedRows = await transaction.execute(lock, this.#key());
      if (queuedRows.length > 0) await work(transaction);
      return queuedRows.length > 0;
    });
  }

  async #wait({ execute }: Transaction, until: Date, handle: string | null): Promise<void> {
    const [tenant, notification] = this.#key();
    await execute(wait, wait.valuesOf({ tenant, notification, until, handle }));
  }

  async #end(work: (transaction: Transaction) => Promise<boolean>): Promise<boolean> {
    const { database, cause, notification } = this.#parts;
    const effective = await database.transaction(notification.tenant, cause, async (transaction) => {
      await planByKeys(transaction);
      return work(transaction);
    });
    this.#ended = true;
    return effective;
  }

  #key(): [string, string] {
    const { tenant, notificationId } = this.notification;
    return [tenant.uuid, decodeId("ntf", notificationId) ?? ""];
  }
}
