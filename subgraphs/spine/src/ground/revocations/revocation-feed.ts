import type { Revocation as RevocationFact } from "@factory/runtime/auth/revocations";
import type { Notifications } from "@factory/runtime/connections/listener";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Pool } from "pg";
import { revocationChannel } from "./record-revocation.js";
import type { Revocation } from "./revocation.entity.js";

type RevocationRow = RowOf<Revocation, "kind" | "subject"> & { version: number };

type RevocationListener = (revocation: RevocationFact) => void;

/** The snapshot in which no transaction has committed. */
const nothing = "1:1:";

/**
 * The rows that the last snapshot ($1) did not show and this one does, and this snapshot. However long a transaction
 * takes, its rows come once.
 */
const newer = {
  name: "newer_revocations",
  text: `select now_seen.snapshot::text, found.* from (select pg_current_snapshot() as snapshot) now_seen
    left join lateral (
      select kind, subject, version::float8 as version from revocations
      where written_by >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(written_by, $1::pg_snapshot)
        and expires_at > now()
      order by written_by, version) found on true`,
};

/**
 * Calls a listener once for each revocation that has not expired; for new ones from any process soon after their
 * commit.
 */
export class RevocationFeed {
  readonly #pool: Pool;
  readonly #listener: Notifications;
  readonly #loop: DrainLoop;
  #seen = nothing;
  #tell: RevocationListener = () => undefined;

  constructor(pool: Pool, listener: Notifications, logger: Logger) {
    this.#pool = pool;
    this.#listener = listener;
    this.#loop = new DrainLoop(
      "revocations",
      async () => {
        await this.#drain();
        return "empty";
      },
      logger,
    );
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
    const values = [this.#seen];
    const { rows } = await this.#pool.query<{ snapshot: string } & (RevocationRow | { kind: null })>({
      ...newer,
      values,
    });
    for (const row of rows) {
      if (row.kind === null) continue;
      const { kind, subject, version } = row;
      this.#tell({ kind, subject, version });
    }
    this.#seen = rows[0]?.snapshot ?? this.#seen;
  }
}
