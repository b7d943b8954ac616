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
  /** Connects as the worker role: one statement stores the successes of many tenants. */
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
 * Counts the outcomes of ordinary calls in memory, so that a call costs no statement. Every five seconds the connections
 * that have worked are stored with one statement, which postpones their checks. Connections with errors are checked, and
 * the run takes the counts with it as evidence. Counts are lost with the process; the next check by schedule comes in any case.
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

  /** Takes the outcome of a call. The call of a check is left out: its run is the evidence. */
  add(outcome: CallOutcome): void {
    if (outcome.purpose === "probe") return;
    const minute = Math.floor(this.#resources.times.clock().getTime() / 60_000);
    const called = this.#calledConnection(outcome);
    const counts = countsOf(called, minute);
    counts.calls += 1;
    if (outcome.ok) called.hasSucceeded = true;
    else if (outcome.rateLimited) counts.rateLimited += 1;
    else if (outcome.credentialRejected) counts.rejected += 1;
    else counts.errors += 1;
    called.isSuspect ||= !outcome.ok && called.checkedMinute < minute && isSuspect(recentCalls(called, minute));
    if ((called.hasSucceeded || called.isSuspect) && this.#changed.size < maxConnections) this.#changed.add(called);
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
    const known = this.#called.get(connectionId);
    if (known) return known;
    const called = {
      ...{ tenantId, connectionId, minutes: [] },
      ...{ hasSucceeded: false, isSuspect: false, checkedMinute: 0 },
    };
    this.#called.set(connectionId, called);
    return called;
  }

  async #flush(): Promise<void> {
    const succeeded = [...this.#changed].filter((called) => called.hasSucceeded).slice(0, successesPerFlush);
    if (succeeded.length > 0) await this.#storeSuccesses(succeeded);
    for (const called of succeeded) {
      called.hasSucceeded = false;
      if (!called.isSuspect) this.#changed.delete(called);
    }
    for (const suspect of this.#suspects()) await this.#checkOrPostpone(suspect);
  }

  async #storeSuccesses(succeeded: readonly CalledConnection[]): Promise<void> {
    const { workers, times } = this.#resources;
    const now = times.clock();
    const { name, text } = storeSuccesses;
    const values = storeSuccesses.valuesOf({
      tenants: succeeded.map(({ tenantId }) => decodeId("ten", tenantId)),
      connections: succeeded.map(({ connectionId }) => decodeId("con", connectionId)),
      now,
      nextProbeAt: times.next(now),
      newEnough: new Date(now.getTime() - times.intervalMs / 2),
    });
    await workers.query({ name, text, values });
  }

  /** The connections to be checked now: of one tenant only some, so that others are not held up. */
  #suspects(): CalledConnection[] {
    const byTenant = new Map<string, number>();
    const chosen: CalledConnection[] = [];
    for (const called of this.#changed) {
      const ofTenant = byTenant.get(called.tenantId) ?? 0;
      if (!called.isSuspect || ofTenant >= checksPerTenant) continue;
      byTenant.set(called.tenantId, ofTenant + 1);
      chosen.push(called);
      if (chosen.length === checksPerFlush) break;
    }
    return chosen;
  }

  /** A failure of one tenant, which may have used up its share of database connections, does not end the checks of others. */
  async #checkOrPostpone(called: CalledConnection): Promise<void> {
    try {
      await this.#check(called);
    } catch (error) {
      this.#resources.logger.warn(
        { err: error, connectionId: called.connectionId },
        "the check of a connection with errors was not started; the next try is soon",
      );
      // behind the others
      this.#changed.delete(called);
      this.#changed.add(called);
    }
  }

  async #check(called: CalledConnection): Promise<void> {
    const { starter, times } = this.#resources;
    const minute = Math.floor(times.clock().getTime() / 60_000);
    await starter.startForCalls(called.tenantId, called.connectionId, recentCalls(called, minute));
    called.checkedMinute = minute;
    called.isSuspect = false;
    this.#changed.delete(called);
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
