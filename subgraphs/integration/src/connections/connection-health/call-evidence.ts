import { atMost } from "@factory/runtime/caches/entry-limit";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import type { CallOutcome } from "../vendor-calls/call-outcomes.js";
import type { CheckStarter } from "./check-starter.js";
import { storeSuccesses } from "./check-statement.js";
import { hasManyErrors, type RecentCalls } from "./health-machine.js";
import type { ProbeTimes } from "./probe-times.js";

interface Resources {
  /** Connects as the worker role: one statement stores many tenants' successes. */
  readonly workers: Pick<Pool, "query">;
  readonly starter: Pick<CheckStarter, "startForCalls">;
  readonly times: ProbeTimes;
  readonly logger: Logger;
}

type Minute = { -readonly [Member in keyof RecentCalls]: number } & { readonly minute: number };

interface CalledConnection {
  readonly tenantId: string;
  readonly connectionId: string;
  /** The calls by minute, newest last, at most five. */
  readonly minutes: Minute[];
  hasSucceeded: boolean;
  isSuspect: boolean;
  checkedMinute: number;
}

const windowMinutes = 5;
const maxConnections = 10_000;
const flushIntervalMs = 5000;
const successesPerFlush = 1000;
const checksPerFlush = 8;
const checksPerTenant = 2;

/**
 * Counts in memory how ordinary calls end, so that a call costs no statement. Every five seconds the connections that
 * have worked are stored with one statement, which postpones their checks. Connections with errors are checked, and the
 * run takes the counts with it as evidence. Counts are lost with the process; the next check by schedule comes in any
 * case.
 */
export class CallEvidence {
  readonly #resources: Resources;
  readonly #called = new LRUCache<string, CalledConnection>(atMost(maxConnections));
  readonly #changed = new Set<CalledConnection>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
  }

  /** Takes a call's outcome. A check's call is left out: its run is the evidence. */
  add(outcome: CallOutcome): void {
    if (outcome.purpose === "probe") return;
    const minute = Math.floor(this.#resources.times.clock().getTime() / 60_000);
    const connection = this.#calledConnection(outcome);
    const counts = countsOf(connection, minute);
    counts.calls += 1;
    if (outcome.ok) connection.hasSucceeded = true;
    else if (outcome.rateLimited) counts.rateLimited += 1;
    else if (outcome.credentialRejected) counts.rejected += 1;
    else counts.errors += 1;
    connection.isSuspect ||=
      !outcome.ok && connection.checkedMinute < minute && isSuspect(recentCalls(connection, minute));
    if ((connection.hasSucceeded || connection.isSuspect) && this.#changed.size < maxConnections)
      this.#changed.add(connection);
  }

  /** Stores the outcomes since the last flush. After a failure the next flush tries again. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush()
      .catch((error: unknown) => {
        this.#resources.logger.warn(
          { err: error },
          "the outcomes of vendor calls were not stored; the next try is soon",
        );
      })
      .finally(() => {
        this.#flushing = undefined;
      });
    return this.#flushing;
  }

  #calledConnection({ tenantId, connectionId }: CallOutcome): CalledConnection {
    const knownConnection = this.#called.get(connectionId);
    if (knownConnection) return knownConnection;
    const newConnection = {
      ...{ tenantId, connectionId, minutes: [] },
      ...{ hasSucceeded: false, isSuspect: false, checkedMinute: 0 },
    };
    this.#called.set(connectionId, newConnection);
    return newConnection;
  }

  async #flush(): Promise<void> {
    const successes = [...this.#changed].filter((connection) => connection.hasSucceeded).slice(0, successesPerFlush);
    if (successes.length > 0) await this.#storeSuccesses(successes);
    for (const connection of successes) {
      connection.hasSucceeded = false;
      if (!connection.isSuspect) this.#changed.delete(connection);
    }
    for (const suspect of this.#suspects()) await this.#checkOrPostpone(suspect);
  }

  async #storeSuccesses(successes: readonly CalledConnection[]): Promise<void> {
    const { workers, times } = this.#resources;
    const now = times.clock();
    const { name, text } = storeSuccesses;
    const values = storeSuccesses.valuesOf({
      tenants: successes.map(({ tenantId }) => decodeId("ten", tenantId)),
      connections: successes.map(({ connectionId }) => decodeId("con", connectionId)),
      now,
      nextProbeAt: times.next(now),
      newEnough: new Date(now.getTime() - times.intervalMs / 2),
    });
    await workers.query({ name, text, values });
  }

  /** The connections to be checked now: only some for each tenant, so that others are not held up. */
  #suspects(): CalledConnection[] {
    const byTenant = new Map<string, number>();
    const chosenConnections: CalledConnection[] = [];
    for (const connection of this.#changed) {
      const ofTenant = byTenant.get(connection.tenantId) ?? 0;
      if (!connection.isSuspect || ofTenant >= checksPerTenant) continue;
      byTenant.set(connection.tenantId, ofTenant + 1);
      chosenConnections.push(connection);
      if (chosenConnections.length === checksPerFlush) break;
    }
    return chosenConnections;
  }

  /** One tenant's check may fail, for example when its database connections are used up; the others' checks go on. */
  async #checkOrPostpone(connection: CalledConnection): Promise<void> {
    try {
      await this.#check(connection);
    } catch (error) {
      this.#resources.logger.warn(
        { err: error, connectionId: connection.connectionId },
        "the check of a connection with errors was not started; the next try is soon",
      );
      // behind the others
      this.#changed.delete(connection);
      this.#changed.add(connection);
    }
  }

  async #check(connection: CalledConnection): Promise<void> {
    const { starter, times } = this.#resources;
    const minute = Math.floor(times.clock().getTime() / 60_000);
    await starter.startForCalls(connection.tenantId, connection.connectionId, recentCalls(connection, minute));
    connection.checkedMinute = minute;
    connection.isSuspect = false;
    this.#changed.delete(connection);
  }
}

function countsOf({ minutes }: CalledConnection, minute: number): Minute {
  const newest = minutes.at(-1);
  if (newest?.minute === minute) return newest;
  const counts = { minute, calls: 0, errors: 0, rateLimited: 0, rejected: 0 };
  minutes.push(counts);
  if (minutes.length > windowMinutes) minutes.shift();
  return counts;
}

function recentCalls({ minutes }: CalledConnection, minute: number): RecentCalls {
  const sum = { calls: 0, errors: 0, rateLimited: 0, rejected: 0 };
  for (const counts of minutes) {
    if (counts.minute <= minute - windowMinutes) continue;
    sum.calls += counts.calls;
    sum.errors += counts.errors;
    sum.rateLimited += counts.rateLimited;
    sum.rejected += counts.rejected;
  }
  return sum;
}

const isSuspect = (calls: RecentCalls) => calls.rateLimited > 0 || calls.rejected > 0 || hasManyErrors(calls);
