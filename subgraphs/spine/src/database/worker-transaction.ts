import { type Notice, noticeStatement, outboxChannel } from "@factory/runtime/db/notice";
import { runAgain } from "@factory/runtime/db/run-again";
import type { Statement } from "@factory/runtime/db/transaction-dialect";
import { type Cause, createEvent, type Message } from "@factory/runtime/messages/envelope";
import { outboxInsert, outboxValues } from "@factory/runtime/outbox/outbox-insert";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";

/** The part of a transaction that `workerTransaction` offers. */
export type WorkerTransaction = Pick<Transaction, "execute" | "tenant" | "record" | "notify">;

/**
 * A transaction of the tenant on a connection of the worker role, which also sees rows that belong to no tenant. After
 * a deadlock `work` runs again from the beginning.
 */
export function workerTransaction<T>(
  pool: Pool,
  tenant: Tenant,
  cause: Cause,
  work: (transaction: WorkerTransaction) => Promise<T>,
): Promise<T> {
  return runAgain(() => once(pool, tenant, cause, work));
}

async function once<T>(
  pool: Pool,
  tenant: Tenant,
  cause: Cause,
  work: (transaction: WorkerTransaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const messages: Message[] = [];
  const notices: Notice[] = [];
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
    const result = await work({ execute, tenant, record, notify });
    if (messages.length > 0) {
      await execute(outboxInsert, outboxValues(tenant, messages));
      notify(outboxChannel("spine"));
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
