import { hash } from "node:crypto";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { Pool } from "pg";

const keep = namedStatement(
  "keep_value",
  `insert into oidc_artifacts (kind, id_digest, payload, expires_at)
    values ($kind, $id, $payload, now() + make_interval(secs => $seconds))
    on conflict (kind, id_digest) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
);
const read = {
  name: "read_kept_value",
  text: "select payload from oidc_artifacts where kind = $1 and id_digest = $2 and expires_at > now()",
};
const take = {
  name: "take_kept_value",
  text: "delete from oidc_artifacts where kind = $1 and id_digest = $2 and expires_at > now() returning payload",
};

/** The name of a kept value: `kind` names its purpose, and `key` holds the id of an interaction or a session. */
export interface KeptName {
  readonly kind: "SignInProgress" | "FactorVisit";
  readonly key: string;
}

/**
 * Small values that the pages of a sign-in keep on the server between two requests, beside the artifacts of oidc-provider.
 * The key is a credential of the browser, so only its digest is stored.
 */
export class KeptValues {
  readonly #pool: Pool;

  /** `pool` connects as the worker role of the spine. */
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
    return (await this.#pool.query<{ payload: T }>({ ...read, values: keyOf(name) })).rows[0]?.payload;
  }

  /** Reads and deletes it. Only one of several requests at the same time gets the value. */
  async take<T extends object>(name: KeptName): Promise<T | undefined> {
    return (await this.#pool.query<{ payload: T }>({ ...take, values: keyOf(name) })).rows[0]?.payload;
  }
}

const keyOf = ({ kind, key }: KeptName): string[] => [kind, hash("sha256", key, "hex")];
