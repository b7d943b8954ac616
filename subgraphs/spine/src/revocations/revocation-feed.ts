import type { Revocation } from "@factory/runtime/auth/revocations";
import type { Listener } from "@factory/runtime/connections/listener";
import { DrainLoop } from "@factory/runtime/db/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import { revocationChannel } from "./record-revocation.js";

interface RevocationRow {
  revocation_id: string;
  kind: Revocation["kind"];
  subject: string;
  revoked_at: Date;
}

type RevocationListener = (revocation: Revocation) => void;

/** Longer than any transaction: a row that was written before the last read may have been committed after it. */
const overlapMs = 60_000;

const newer = {
  name: "newer_revocations",
  text: `select revocation_id, kind, subject, revoked_at from revocations
    where expires_at > now() and revoked_at > $1 order by revoked_at`,
};

/** Calls a listener once for each revocation that has not expired; for new ones of any process soon after their commit. */
export class RevocationFeed {
  readonly #pool: Pool;
  readonly #listener: Listener;
  readonly #loop: DrainLoop;
  readonly #delivered = new Map<string, number>();
  #since = new Date(0);
  #tell: RevocationListener = () => undefined;

  constructor(pool: Pool, listener: Listener, logger: Logger) {
    this.#pool = pool;
    this.#listener = listener;
    this.#loop = new DrainLoop(async () => {
      await this.#drain();
      return "empty";
    }, logger);
  }

  /** Calls `tell` for all earlier revocations before it resolves, and for each new one afterwards. */
  async start(tell: RevocationListener): Promise<void> {
    this.#tell = tell;
    await this.#listener.on(revocationChannel, () => this.#loop.wake());
    await this.#drain();
    this.#loop.wake();
  }

  /** Waits for the current read. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #drain(): Promise<void> {
    const { rows } = await this.#pool.query<RevocationRow>({ ...newer, values: [this.#since] });
    for (const { revocation_id: id, kind, subject, revoked_at: at } of rows) {
      if (this.#delivered.has(id)) continue;
      this.#delivered.set(id, at.getTime());
      this.#tell({ kind, subject, at: at.getTime() });
    }
    const newest = rows.at(-1)?.revoked_at.getTime();
    if (newest !== undefined) this.#since = new Date(Math.max(this.#since.getTime(), newest - overlapMs));
    for (const [id, at] of this.#delivered) if (at <= this.#since.getTime()) this.#delivered.delete(id);
  }
}
