import { hash } from "node:crypto";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { Pool } from "pg";

const keep = namedStatement(
  "keep_value",
  `insert into oidc_artifacts (kind, id_digest, payload, expires_at)
    values ($kind, $id, $payload, now() + make_interval(secs => $seconds))
    on conflict (kind, id_digest) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
);
const statement = {
  name: "read_kept_value",
  text: "select payload from oidc_artifacts where kind = $1 and id_digest = $2 and expires_at > now()",
};
const take = {
  name: "take_kept_value",
  text: "delete from oidc_artifacts where kind = $1 and id_digest = $2 and expires_at > now() returning payload",
};

/** A kept value's name: `kind` names its purpose, and `key` holds an interaction's or a session's ID. */
export interface KeptName {
  readonly kind: "SignInProgress" | "FactorVisit";
  readonly key: string;
}

/**
 * Small values that the sign-in pages keep on the server between two requests, beside oidc-provider's artifacts. The
 * key is the browser's credential, so only its digest is stored.
 */
export class KeptValues {
  readonly #pool: Pool;

  /** `pool` connects as the spine's worker role. */
  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Replaces the former value. The value is JSON. */
  async keep(name: KeptName, value: object, seconds: number): Promise<void> {
    const [kind, id] = keyOf(name);
    const values = keep.valuesOf({ kind, id, payload: JSON.stringify(value), seconds });
    await this.#pool.query({ ...keep, values });
  }

  async read<T extends object>(name: KeptName): Promise<T | undefined> {
    return (await this.#pool.query<{ payload: T }>({ ...statement, values: keyOf(name) })).rows[0]?.payload;
  }

  /** Reads and deletes it. If several requests come at the same time, only one gets the value. */
  async take<T extends object>(name: KeptName): Promise<T | undefined> {
    return (await this.#pool.query<{ payload: T }>({ ...take, values: keyOf(name) })).rows[0]?.payload;
  }
}

const keyOf = ({ kind, key }: KeptName): string[] => [kind, hash("sha256", key, "hex")];
