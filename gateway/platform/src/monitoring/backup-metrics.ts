import { openPool } from "@factory/runtime/connections/pool";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { Gauge, type Registry } from "prom-client";

/** Reads the time when the last backup was complete, in seconds since 1970; 0 before the first one. */
type ReadLastBackup = () => Promise<number>;

/**
 * Registers the gauge for the last complete backup (`npm run backup`). It has no value while the database does not
 * answer.
 */
export function backupMetrics(registry: Registry, lastBackup: ReadLastBackup): void {
  const gauge = new Gauge({
    name: "backup_last_success_timestamp_seconds",
    help: "When the last complete backup began, in seconds since 1970; 0 before the first one.",
    registers: [registry],
    async collect() {
      const seconds = await lastBackup().catch(() => undefined);
      if (seconds === undefined) gauge.remove();
      else gauge.set(seconds);
    },
  });
}

/** Reads the time on a separate connection, which is closed between two scrapes. */
export function lastBackupReader(workerUrl: string, logger: Logger): { read: ReadLastBackup; close(): Promise<void> } {
  const pool = openPool(workerUrl, 1, logger);
  return {
    async read() {
      const { rows } = await pool.query<{ seconds: number }>(
        "select extract(epoch from completed_at)::float8 as seconds from health.last_backup",
      );
      return rows[0]?.seconds ?? 0;
    },
    close: () => pool.end(),
  };
}
