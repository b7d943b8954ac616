import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import type { CredentialRow } from "../credentials/credentials/credential.view.js";
import { type AdvanceCredentialPayload, advanceCredentialJob } from "./advance-credential.js";
import { dueCredentials, markChangeSent } from "./due-credential-statement.js";

type DueRow = Pick<CredentialRow, "tenant_id" | "credential_id">;

interface Resources {
  readonly database: Database;
  /** Connects as the worker role, which sees all tenants' credentials that time changes. */
  readonly workers: Pick<Pool, "query">;
  readonly jobs: JobQueue;
  readonly logger: Logger;
  readonly clock: () => Date;
}

/**
 * Looks once a second for credentials with a due change, and sends a job for each. The row remembers that its job was
 * sent, in the same transaction, so that several processes send one job.
 */
export class DueCredentials {
  readonly #resources: Resources;
  readonly #loop: DrainLoop;

  constructor(resources: Resources) {
    this.#resources = resources;
    this.#loop = new DrainLoop(
      "due credentials",
      async () => ((await this.#look()) ? "more" : "empty"),
      resources.logger,
    );
  }

  start(): void {
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Sends one batch's jobs; true if more rows are waiting. A row that fails does not stop the others. */
  async #look(): Promise<boolean> {
    const { workers, logger, clock } = this.#resources;
    const now = clock();
    const { name, text, batchSize } = dueCredentials;
    const { rows } = await workers.query<DueRow>({ name, text, values: [now] });
    let sentCount = 0;
    for (const row of rows) {
      const payload = { tenantId: encodeId("ten", row.tenant_id), credentialId: encodeId("crd", row.credential_id) };
      try {
        if (await this.#send(row, payload, now)) sentCount += 1;
      } catch (error) {
        logger.warn({ err: error, ...payload }, "the job of a due credential was not sent; the next look is soon");
      }
    }
    return rows.length === batchSize && sentCount > 0;
  }

  #send(row: DueRow, payload: AdvanceCredentialPayload, now: Date): Promise<boolean> {
    const { database, jobs } = this.#resources;
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    return database.transaction(tenantWithId(payload.tenantId), cause, async (transaction) => {
      const markedRows = await transaction.execute(markChangeSent, [row.tenant_id, row.credential_id, now]);
      if (markedRows.length === 0) return false;
      await jobs.send(transaction, advanceCredentialJob, payload);
      return true;
    });
  }
}
