import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { reportContentIsStored, reportRunWaits } from "./report-run.states.js";
import { tooManyBytes } from "./too-large.js";

/** The limits for a tenant's reports. */
export interface RunLimits {
  /** The runs that have not ended. */
  readonly openRuns: number;
  /** The contents that have not expired. */
  readonly storedRuns: number;
  /** The bytes in all unexpired contents. A content counts as 4 KiB at least, since its file takes a block. */
  readonly storedBytes: number;
  /** The bytes in one content. */
  readonly runBytes: number;
}

export const defaultLimits: RunLimits = {
  openRuns: 20,
  storedRuns: 1000,
  storedBytes: 2 * 1024 ** 3,
  runBytes: 1024 ** 3,
};
const retryAfterSeconds = 30;

const lock = { name: "report_runs_lock", text: "select pg_advisory_xact_lock(hashtextextended($1, 0))" };

const takenRoom = {
  name: "report_runs_taken",
  text: `select (select count(*)::int from report_runs where tenant_id = $1 and ${reportRunWaits}) as open,
    (select count(*)::int from report_runs where tenant_id = $1 and ${reportContentIsStored}) as contents,
    (select coalesce(sum(greatest(size_bytes, 4096)), 0) from report_runs where tenant_id = $1 and ${reportContentIsStored}) as stored`,
};

/** Keeps a tenant's runs and contents within its limits. */
export class RunRoom {
  readonly #limits: RunLimits;

  constructor(limits: RunLimits) {
    this.#limits = limits;
  }

  /** Throws RATE_LIMITED or CONFLICT. Requests at the same time cannot exceed a limit together. */
  async requireRoom(transaction: Transaction): Promise<void> {
    const { openRuns, storedRuns, storedBytes } = this.#limits;
    const { open, contents, stored } = await takenBy(transaction);
    if (open >= openRuns)
      throw new DomainError("RATE_LIMITED", {
        detail: `The tenant has ${open} report runs that have not ended, which is the limit. Wait for the end of one, or cancel one.`,
        retryAfterSeconds,
      });
    if (contents >= storedRuns || stored >= storedBytes)
      throw new DomainError("CONFLICT", {
        detail: `The tenant stores ${contents} reports with ${stored} bytes; the limits are ${storedRuns} reports and ${storedBytes} bytes. Remove contents with expireReportRun (POST /v1/reports/runs/{reportRunId}/expire), or wait until they expire.`,
        limit: contents >= storedRuns ? storedRuns : storedBytes,
      });
  }

  /** The bytes that the content of a further run may have. */
  async bytesLeft(transaction: Transaction): Promise<number> {
    const { storedBytes, runBytes } = this.#limits;
    const { stored } = await takenBy(transaction);
    return Math.max(0, Math.min(runBytes, storedBytes - stored));
  }

  /** Throws REPORT_TOO_LARGE when other runs have taken the room in the meantime. */
  async requireBytes(transaction: Transaction, sizeBytes: number): Promise<void> {
    const bytesLeft = await this.bytesLeft(transaction);
    if (sizeBytes > bytesLeft) throw tooManyBytes(bytesLeft);
  }
}

interface Taken {
  readonly open: number;
  readonly contents: number;
  /** Bytes. */
  readonly stored: number;
}

async function takenBy({ defer, execute, tenant }: Transaction): Promise<Taken> {
  await defer(lock, [hashedLocks.reportRuns(tenant.tenantId)]);
  const [row] = await execute<{ open: number; contents: number; stored: string | number }>(takenRoom, [tenant.uuid]);
  return { open: row?.open ?? 0, contents: row?.contents ?? 0, stored: Number(row?.stored ?? 0) };
}
