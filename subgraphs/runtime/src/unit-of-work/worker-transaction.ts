import type { SubgraphName } from "@factory/schema/subgraph-names";
import type { Pool } from "pg";
import { type Notice, noticeStatement, outboxChannel } from "../db/notice.js";
import { runAgain } from "../db/run-again.js";
import type { Statement } from "../db/transaction-dialect.js";
import type { AuditedAction } from "../messages/audit-record.js";
import { transactionRecord } from "../messages/create-audit-record.js";
import { type Cause, createEvent, type Message } from "../messages/envelope.js";
import { outboxInsert, outboxValues } from "../outbox/outbox-insert.js";
import type { Tenant } from "../tenancy/tenant.js";
import type { Transaction } from "./database.js";

/** The part of a transaction that `workerTransaction` offers. */
export type WorkerTransaction = Pick<Transaction, "execute" | "tenant" | "record" | "notify" | "audit">;

/** Connections of one schema's worker role. */
export interface WorkerPool {
  readonly pool: Pool;
  readonly schema: SubgraphName;
}

/**
 * A transaction of the tenant on a connection of the worker role, which also sees rows that belong to no tenant. After
 * a deadlock `work` runs again from the beginning.
 */
export function workerTransaction<T>(
  workers: WorkerPool,
  tenant: Tenant,
  cause: Cause,
  work: (transaction: WorkerTransaction) => Promise<T>,
): Promise<T> {
  return runAgain(() => once(workers, tenant, cause, work));
}

async function once<T>(
  { pool, schema }: WorkerPool,
  tenant: Tenant,
  cause: Cause,
  work: (transaction: WorkerTransaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const messages: Message[] = [];
  const notices: Notice[] = [];
  let audited: AuditedAction | undefined;
  const notify: Transaction["notify"] = (channel, payload = "") => {
    notices.push({ channel, payload });
  };
  const execute: Transaction["execute"] = async <R>(statement: Statement, values: readonly unknown[] = []) => {
    const query = typeof statement === "string" ? { text: statement } : statement;
    return (await client.query({ ...query, values: [...values] })).rows as R[];
  };
  let broken = true;
  try {
    await client.query("begin");
    await client.query("select set_config('app.tenant', $1, true)", [tenant.uuid]);
    const record: Transaction["record"] = (event) => {
      const envelope = createEvent(event, tenant.tenantId, cause);
      messages.push(envelope);
      return envelope;
    };
    const audit: Transaction["audit"] = (action) => {
      audited = action;
    };
    const result = await work({ execute, tenant, record, notify, audit });
    if (audited)
      messages.push(transactionRecord(audited, messages, { source: schema, tenantId: tenant.tenantId, cause }));
    if (messages.length > 0) {
      await execute(outboxInsert, outboxValues(tenant, messages));
      notify(outboxChannel(schema));
    }
    await client.query("commit");
    broken = false;
    for (const notice of notices) pool.query(noticeStatement(notice)).catch(() => undefined);
    return result;
  } finally {
    if (broken) await client.query("rollback").catch(() => undefined);
    client.release();
  }
}
