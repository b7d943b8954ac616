import { hash } from "node:crypto";
import type pg from "pg";

/** A name with a limit for its failures. */
export interface FailureKey {
  readonly key: string;
  readonly limit: number;
}

interface FailureRow {
  readonly key: string;
  readonly failures: number;
  readonly pending: number;
  readonly left_ms: number;
}

/** Why an attempt may not be made now. */
interface TooManyFailures {
  readonly key: string;
  /** Until when. Absent where only attempts that have not ended yet are too many. */
  readonly leftMs: number | undefined;
}

const beginning = `
  insert into limits.failures as attempts (key, ends_at, failures, pending)
  select key, now() + make_interval(secs => $2::double precision / 1000), 0, 1 from unnest($1::text[]) as given(key) order by key
  on conflict (key) do update set
    ends_at = case when attempts.ends_at > now() then attempts.ends_at else excluded.ends_at end,
    failures = case when attempts.ends_at > now() then attempts.failures else 0 end,
    pending = case when attempts.ends_at > now() then attempts.pending + 1 else 1 end
  returning key, failures, pending, extract(epoch from ends_at - now())::double precision * 1000 as left_ms`;

const ending = `
  with due as materialized (select key from limits.failures where key = any($1) order by key for update)
  update limits.failures set pending = greatest(0, pending - 1), failures = failures + $2
  where key in (select key from due)`;

/**
 * Failures over all processes. An attempt counts from its beginning, so that many attempts at the same time in several
 * processes get no further than one after the other. An attempt whose process was killed counts until the window ends.
 */
export class FailureCounts {
  readonly #pool: pg.Pool;

  /** `pool` connects as a worker role. */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Counts an attempt as pending; undefined when it may be made. Otherwise nothing is counted. */
  async begin(limits: readonly FailureKey[], windowMs: number): Promise<TooManyFailures | undefined> {
    const limitsByDigest = new Map(limits.map(({ key, limit }) => [digestOf(key), { key, limit }]));
    const { rows } = await this.#pool.query<FailureRow>(beginning, [[...limitsByDigest.keys()], windowMs]);
    for (const { key: digest, failures, pending, left_ms } of rows) {
      const { key, limit } = limitsByDigest.get(digest) ?? { key: digest, limit: Number.POSITIVE_INFINITY };
      if (failures + pending - 1 < limit) continue;
      await this.end(limits, false);
      return { key, leftMs: failures >= limit ? left_ms : undefined };
    }
    return undefined;
  }

  /** Ends an attempt that has begun. */
  async end(limits: readonly FailureKey[], isFailure: boolean): Promise<void> {
    await this.#pool.query(ending, [limits.map(({ key }) => digestOf(key)), isFailure ? 1 : 0]);
  }
}

/** Keys contain people's names and addresses. */
const digestOf = (key: string) => hash("sha256", key, "base64url");
