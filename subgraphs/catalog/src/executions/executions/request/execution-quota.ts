import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ExecutionPayload } from "../record/execution-job.js";
import { isPlanRefusal, type UsageMeter } from "./usage-meter.js";

const featureKey = "executions.monthly";

/** Gives back the usage for an execution that was counted and never created. */
export const returnExecutionQuotaJob: JobDefinition<ExecutionPayload> = {
  queue: "return-execution-quota",
  retryLimit: 5,
  retryDelaySeconds: 5,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
  subject: "executionId",
};

/** Reservations that a process has left behind. They wait for a minute, so that a running request can end. */
export const abandonedReservations: WaitingRows<ExecutionPayload> = {
  slice: "executionReservations",
  job: returnExecutionQuotaJob,
  table: "execution_reservations",
  id: "execution_id",
  prefix: "exe",
  waiting: "true",
  since: "reserved_at",
  payload: ({ tenantId, id }) => ({ tenantId, executionId: id }),
};

const insert = {
  name: "reserve_execution",
  text: "insert into execution_reservations (tenant_id, execution_id, reserved_at, is_ending) values ($1, $2, now(), false)",
};
const use = {
  name: "use_execution_reservation",
  text: "delete from execution_reservations where tenant_id = $1 and execution_id = $2 and not is_ending returning true",
};
const markReturning = {
  name: "return_execution_reservation",
  text: `update execution_reservations set is_ending = true where tenant_id = $1 and execution_id = $2
    returning true`,
};
const drop = {
  name: "drop_execution_reservation",
  text: "delete from execution_reservations where tenant_id = $1 and execution_id = $2",
};

interface QuotaParts {
  readonly database: Database;
  readonly usage: UsageMeter;
  readonly logger: Logger;
}

/** Counts every execution that is created, once, and gives back what did not become an execution. */
export class ExecutionQuota {
  readonly #parts: QuotaParts;

  constructor(parts: QuotaParts) {
    this.#parts = parts;
  }

  reservation(context: RequestContext): ExecutionReservationHandle {
    return new ExecutionReservationHandle(this, tenantOf(context), context);
  }

  /** Throws QUOTA_EXCEEDED, ENTITLEMENT_DENIED or UNAVAILABLE. */
  async reserve(tenant: Tenant, executionId: string, { trace }: Pick<RequestContext, "trace">): Promise<void> {
    const { usage } = this.#parts;
    await this.#execute(tenant, insert, executionId);
    try {
      await usage.consume({ tenantId: tenant.tenantId, featureKey, key: executionId, trace });
    } catch (error) {
      if (isPlanRefusal(error)) await this.#execute(tenant, drop, executionId);
      throw error;
    }
  }

  /** Runs again from its beginning without harm; does nothing for an execution that was created. */
  async giveBack(tenant: Tenant, executionId: string): Promise<void> {
    const { tenantId } = tenant;
    if ((await this.#execute(tenant, markReturning, executionId)).length === 0) return;
    failpoint("executionQuota.marked");
    await this.#parts.usage.release({ tenantId, featureKey, key: executionId });
    failpoint("executionQuota.released");
    await this.#execute(tenant, drop, executionId);
  }

  /** The job's handler. */
  giveBackAbandoned({ tenantId, executionId }: ExecutionPayload): Promise<void> {
    return this.giveBack(tenantWithId(tenantId), executionId);
  }

  /** As `giveBack`. After a failure the job does it. */
  async tryGiveBack(tenant: Tenant, executionId: string): Promise<void> {
    try {
      await this.giveBack(tenant, executionId);
    } catch (error) {
      this.#parts.logger.warn({ err: error, executionId }, "the usage of an execution will be given back later");
    }
  }

  #execute(tenant: Tenant, statement: typeof insert, executionId: string): Promise<unknown[]> {
    const values = [tenant.uuid, decodeId("exe", executionId)];
    const cause = { trace: continueTrace(undefined) };
    return this.#parts.database.transaction(tenant, cause, ({ execute }) => execute(statement, values));
  }
}

/** One request's reservation. */
class ExecutionReservationHandle {
  readonly executionId = newId("exe");
  readonly #quota: ExecutionQuota;
  readonly #tenant: Tenant;
  readonly #context: RequestContext;
  #isOpen = false;

  constructor(quota: ExecutionQuota, tenant: Tenant, context: RequestContext) {
    this.#quota = quota;
    this.#tenant = tenant;
    this.#context = context;
  }

  async make(): Promise<void> {
    this.#isOpen = true;
    await this.#quota.reserve(this.#tenant, this.executionId, this.#context);
    failpoint("execution.counted");
  }

  /** Uses the reservation for the execution that the transaction creates. */
  async use({ execute, tenant, afterCommit }: Transaction): Promise<void> {
    const usedRows = await execute(use, [tenant.uuid, decodeId("exe", this.executionId)]);
    if (usedRows.length === 0)
      throw new DomainError("UNAVAILABLE", {
        detail: "The request took too long, so its execution is no longer counted. Send the request again.",
        retryAfterSeconds: 1,
      });
    afterCommit(() => {
      this.#isOpen = false;
    });
  }

  /** Gives back what was not used. */
  async end(): Promise<void> {
    if (this.#isOpen) await this.#quota.tryGiveBack(this.#tenant, this.executionId);
  }
}
