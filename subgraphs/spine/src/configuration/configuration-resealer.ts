import { setTimeout as pause } from "node:timers/promises";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import type { ConfigurationSecrets } from "./configuration-secrets.js";

interface SealedRow {
  tenant_id: string;
  key: string;
  version: number;
  sealed_value: string;
}

const batchSize = 100;
const patienceMs = 30_000;
const lowestUuid = "00000000-0000-0000-0000-000000000000";

const tables = ["configuration_entries", "configuration_versions"] as const;

const sealedRows = (table: string) => `select tenant_id, key, version, sealed_value from ${table}
  where sealed_value is not null and split_part(sealed_value, '.', 1) <> $1 and (tenant_id, key, version) > ($2, $3, $4)
  order by tenant_id, key, version limit ${batchSize}`;

/** Changes the row only if it still holds what was read: a caller may have set a new value. */
const reseal = (table: string) =>
  `update ${table} set sealed_value = $5 where tenant_id = $1 and key = $2 and version = $3 and sealed_value = $4`;

interface ResealerParts {
  /** Connects as the worker role. */
  readonly pool: Pool;
  readonly secrets: ConfigurationSecrets;
  readonly logger: Logger;
}

/**
 * Seals secret values with the newest master key, in the background after each start. A former master key can be removed
 * when the log says that all values are sealed with the newest one. The work may stop at any moment, because each value
 * names its key.
 */
export class ConfigurationResealer {
  readonly #parts: ResealerParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ResealerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { secrets, logger } = this.#parts;
    const { signal } = this.#stopping;
    if (!secrets.hasFormerKeys) return;
    while (!signal.aborted) {
      try {
        let resealed = 0;
        for (const table of tables) resealed += await this.#resealAll(table);
        if (!signal.aborted) logger.info({ resealed }, "all secret configuration is sealed by the newest SECRETS_KEY");
        return;
      } catch (error) {
        logger.warn({ err: error }, "secret configuration was not sealed anew; the next try is in 30 s");
      }
      await pause(patienceMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #resealAll(table: string): Promise<number> {
    const { pool, secrets } = this.#parts;
    let done = 0;
    let last: SealedRow | undefined;
    do {
      const place = [last?.tenant_id ?? lowestUuid, last?.key ?? "", last?.version ?? 0];
      const { rows } = await pool.query<SealedRow>(sealedRows(table), [secrets.newestKeyId, ...place]);
      for (const row of rows) done += await this.#reseal(table, row);
      last = rows.length === batchSize ? rows.at(-1) : undefined;
    } while (last && !this.#stopping.signal.aborted);
    return done;
  }

  /** A damaged value is left, so that the others are still sealed anew. */
  async #reseal(table: string, { tenant_id: uuid, key, version, sealed_value: sealed }: SealedRow): Promise<number> {
    const { pool, secrets, logger } = this.#parts;
    const tenantId = encodeId("ten", uuid);
    let resealed: string | undefined;
    try {
      resealed = secrets.open(tenantId, key, sealed).resealed;
    } catch (error) {
      logger.error({ err: error, tenantId, key, version }, "a secret configuration value is damaged");
    }
    if (resealed === undefined) return 0;
    const { rowCount } = await pool.query(reseal(table), [uuid, key, version, sealed, resealed]);
    return rowCount ?? 0;
  }
}
