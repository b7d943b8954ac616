import type { Pool } from "pg";
import { systemErrorCode } from "../errors/system-error.js";
import { encodeId } from "../identifiers/wire-id.js";
import { continueTrace } from "../telemetry/trace.js";
import { tenantWithId } from "../tenancy/tenant.js";
import { type WorkerPool, workerTransaction } from "../unit-of-work/worker-transaction.js";
import { beforeAll, outdatedCount, outdatedRows, renewRows, resealedAtOnce } from "./reseal-statement.js";
import type { SealedColumns, SealedRow, SealedTable } from "./sealed-table.js";

/** A row whose value cannot be written again. */
interface DamagedRow {
  /** The primary key, for example `tenant_id=0198…, key=crm.apiKey`. */
  readonly row: string;
  readonly reason: string;
}

/** Progress and result for one table. */
export interface TableProgress {
  readonly label: string;
  readonly table: string;
  /** Rows that were not under the newest key at the beginning. */
  readonly found: number;
  readonly renewed: number;
  /** Rows that are still not under the newest key. */
  readonly left: number;
  /** Rows that are left because they cannot be opened. */
  readonly unreadable: number;
  /** At most 100 rows. */
  readonly damaged: readonly DamagedRow[];
}

const mostDamagedNamed = 100;
/** More passes find rows that were locked, or that another process wrote with the former key, in the pass before. */
const mostPasses = 3;

/**
 * Writes a table's outdated values again, beside running traffic and other processes that do the same. It may stop at
 * any moment, because each value names its key.
 */
export async function resealTable(
  workers: WorkerPool,
  table: SealedTable,
  signal: AbortSignal,
  onProgress: (progress: TableProgress) => void,
): Promise<TableProgress> {
  const { label, table: name, newestKeyId } = table;
  const outdatedCount = await countOutdated(workers.pool, table);
  let progress: TableProgress = {
    label,
    table: name,
    found: outdatedCount,
    renewed: 0,
    left: outdatedCount,
    unreadable: 0,
    damaged: [],
  };
  for (let pass = 0; pass < mostPasses && progress.left > progress.unreadable; pass += 1) {
    progress = { ...progress, unreadable: 0, damaged: [] };
    let place: string[] | undefined = beforeAll(table);
    while (place) {
      signal.throwIfAborted();
      const rows: ReadRow[] = (await workers.pool.query(outdatedRows(table), [newestKeyId, ...place])).rows;
      const { renewed, damaged } = await renewSome(workers, table, rows);
      progress = {
        ...progress,
        renewed: progress.renewed + renewed,
        left: Math.max(0, progress.left - renewed),
        unreadable: progress.unreadable + damaged.length,
        damaged: [...progress.damaged, ...damaged].slice(0, mostDamagedNamed),
      };
      onProgress(progress);
      place = rows.length === resealedAtOnce ? keyOf(table, rows.at(-1)) : undefined;
    }
    progress = { ...progress, left: await countOutdated(workers.pool, table) };
    onProgress(progress);
  }
  return progress;
}

async function countOutdated(pool: Pool, table: SealedTable): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(outdatedCount(table), [table.newestKeyId]);
  return rows[0]?.count ?? 0;
}

type ReadRow = Readonly<Record<string, string | Buffer>>;

const keyOf = ({ key }: SealedTable, row: ReadRow = {}): string[] =>
  Object.keys(key).map((name) => (row[name] ?? "").toString());

interface RenewedRow {
  readonly key: readonly string[];
  readonly former: SealedColumns;
  readonly renewed: SealedColumns;
}

async function renewSome(
  workers: WorkerPool,
  table: SealedTable,
  rows: readonly ReadRow[],
): Promise<{ renewed: number; damaged: DamagedRow[] }> {
  const damagedRows: DamagedRow[] = [];
  const byTenant = new Map<string, RenewedRow[]>();
  for (const row of rows) {
    const key = keyOf(table, row);
    const former = Object.keys(table.columns).map((name) => row[name] ?? "");
    try {
      const renewedValues = await table.renewed(row as SealedRow, former);
      const tenant = table.key["tenant_id"] === undefined ? "" : (row["tenant_id"] as string);
      byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), { key, former, renewed: renewedValues }]);
    } catch (error) {
      damagedRows.push({ row: rowName(table, key), reason: reasonOf(error) });
    }
  }
  let count = 0;
  for (const [tenant, tenantRows] of byTenant) count += await writeRenewed(workers, table, tenant, tenantRows);
  return { renewed: count, damaged: damagedRows };
}

async function writeRenewed(
  workers: WorkerPool,
  table: SealedTable,
  tenant: string,
  rows: readonly RenewedRow[],
): Promise<number> {
  const keys = Object.keys(table.key).map((_, index) => rows.map(({ key }) => key[index]));
  const former = Object.keys(table.columns).map((_, index) => rows.map((row) => row.former[index]));
  const renewedColumns = Object.keys(table.columns).map((_, index) => rows.map((row) => row.renewed[index]));
  const values = [...keys, ...former, ...renewedColumns];
  if (tenant === "") return (await workers.pool.query(renewRows(table), values)).rowCount ?? 0;
  const cause = { trace: continueTrace(undefined) };
  const writtenRows = await workerTransaction(workers, tenantWithId(encodeId("ten", tenant)), cause, ({ execute }) =>
    execute(renewRows(table), values),
  );
  return writtenRows.length;
}

const rowName = ({ key }: SealedTable, values: readonly string[]) =>
  Object.keys(key)
    .map((name, index) => `${name}=${values[index]}`)
    .join(", ");

/** The error for a damaged value never repeats any part of it. */
function reasonOf(error: unknown): string {
  const isUnknownKey = error instanceof Error && error.name === "UnknownSealingKey";
  return isUnknownKey || systemErrorCode(error) === "SECRET_STORE_UNAVAILABLE"
    ? "It is sealed under a key that is neither SECRETS_KEY nor one of SECRETS_KEY_PREVIOUS."
    : "It is damaged: it cannot be opened with the key that it names.";
}
