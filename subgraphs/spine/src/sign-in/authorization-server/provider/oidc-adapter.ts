import { hash } from "node:crypto";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { RetentionRule } from "@factory/runtime/db/retention";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import type { Keyring } from "@factory/runtime/sealing/master-keys";
import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { Pool } from "pg";
import { currentContext } from "../oauth-requests/current-context.js";
import type { RequestVisit } from "../oauth-requests/request-visit.js";
import { chooseSuccessor, repeatableSeconds, successorsOf } from "../tokens/refresh-successor.js";

/** A code or token that was used a second time. */
interface ReplayedArtifact {
  /** oidc-provider's model name. */
  readonly kind: string;
  readonly grantId: string | undefined;
}

interface ArtifactRow {
  payload: AdapterPayload;
  /** Epoch seconds. */
  consumed: number | null;
}

/** Signed, not stored. */
const signedModels = new Set(["AccessToken", "ClientCredentials"]);
/** jsonb stores neither NUL nor lone surrogates, and request parameters are part of a payload. */
const unstorableText = new Set<unknown>(["22P05", "22021", "22P02"]);
/** Stored with the request's device and address, to list a person's sessions. */
const modelsWithVisit = new Set(["Session", "Grant"]);
const kindsOfGrant = new Set(["Grant", "RefreshToken", "AuthorizationCode"]);

const columns = "payload, extract(epoch from consumed_at)::int as consumed";
/** A session that its person has ended may be stored again by a request that was under way. */
const notEnded = `not exists (select from oidc_artifacts mark
  where mark.kind = 'EndedSession' and mark.id_digest = artifact.uid_digest)`;
const findById = {
  name: "artifact_by_id",
  text: `select ${columns} from oidc_artifacts artifact where kind = $1 and id_digest = $2 and ${notEnded}`,
};
const findByUid = {
  name: "artifact_by_uid",
  text: `select ${columns} from oidc_artifacts artifact where kind = $1 and uid_digest = $2 and ${notEnded}`,
};
const store = namedStatement(
  "store_artifact",
  `insert into oidc_artifacts as stored (kind, id_digest, payload, grant_id, uid_digest, account_id, expires_at,
      user_agent, address, seen_at)
    values ($kind, $id, $payload, $grantId, $uid, $accountId, to_timestamp($expiresAt), $userAgent, $address, case when $isVisited then now() end)
    on conflict (kind, id_digest) do update set payload = excluded.payload, grant_id = excluded.grant_id,
      uid_digest = coalesce(excluded.uid_digest, stored.uid_digest), account_id = excluded.account_id,
      expires_at = excluded.expires_at, user_agent = coalesce(excluded.user_agent, stored.user_agent),
      address = coalesce(excluded.address, stored.address), seen_at = excluded.seen_at`,
);
/** $3: the successors' digests. */
const isRepeatable = `artifact.consumed_at > now() - interval '${repeatableSeconds} seconds'
  and not exists (select from oidc_artifacts successor where successor.kind = artifact.kind
    and successor.id_digest = any($3) and successor.consumed_at is not null)`;
const findRefreshToken = {
  name: "refresh_token",
  text: `select payload, case when not (${isRepeatable}) then extract(epoch from consumed_at)::int end as consumed
    from oidc_artifacts artifact where kind = $1 and id_digest = $2 and ${notEnded}`,
};
/** Replaces the first use, too, where its process has ended before the successor was stored. */
const rotateOnce = {
  name: "rotate_refresh_token",
  text: `update oidc_artifacts artifact set consumed_at = coalesce(consumed_at, now())
    where kind = $1 and id_digest = $2 and (consumed_at is null or ${isRepeatable})
    returning (select successor.id_digest from oidc_artifacts successor
      where successor.kind = $1 and successor.id_digest = any($3) limit 1) as successor`,
};
const takeOnce = {
  name: "take_artifact_once",
  text: `insert into oidc_artifacts (kind, id_digest, payload, expires_at) values ($1, $2, '{}', to_timestamp($3))
    on conflict (kind, id_digest) do nothing`,
};
/** Ending a token family takes the same row lock, so no token can be added to an ended family. */
const storeInFamily = namedStatement(
  "store_in_family",
  `with grant_row as materialized (
      select from oidc_artifacts where kind = 'Grant' and grant_id = $grantId for key share)
    insert into oidc_artifacts (kind, id_digest, payload, grant_id, uid_digest, account_id, expires_at)
    select $kind::text, $id::text, $payload::jsonb, $grantId::text, $uid::text, $accountId::text, to_timestamp($expiresAt::float8) from grant_row
    on conflict (kind, id_digest) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
);
const consumeOnce = {
  name: "consume_artifact",
  text: `update oidc_artifacts set consumed_at = now()
    where kind = $1 and id_digest = $2 and consumed_at is null returning grant_id`,
};

/** Codes, grants, sessions and the like are deleted when they have expired. */
export const artifactRetention: RetentionRule = {
  table: "oidc_artifacts",
  expired: "expires_at < now()",
  order: "expires_at",
};

/**
 * oidc-provider's storage in PostgreSQL. An id is a credential, so only its digest is stored, and nothing from which it
 * can be read.
 */
export class OidcAdapter {
  readonly #pool: Pool;
  readonly #onReplay: (replayed: ReplayedArtifact) => Promise<void>;
  readonly #revokeGrant: (grantId: string) => Promise<unknown>;
  readonly #visit: () => RequestVisit | undefined;
  readonly #successorKeys: Keyring;

  /**
   * `onReplay` is told about every code or token that is used twice; `revokeGrant` ends a grant with all its tokens;
   * `visit` tells where the current request's session or grant is made; `successorKeys` gives refresh tokens their
   * successors.
   */
  constructor(
    pool: Pool,
    onReplay: (replayed: ReplayedArtifact) => Promise<void>,
    revokeGrant: (grantId: string) => Promise<unknown>,
    visit: () => RequestVisit | undefined,
    successorKeys: Keyring,
  ) {
    this.#visit = visit;
    this.#successorKeys = successorKeys;
    this.#pool = pool;
    this.#onReplay = onReplay;
    this.#revokeGrant = revokeGrant;
  }

  /** The adapter for one oidc-provider model. */
  adapter(kind: string): Adapter {
    return {
      upsert: (id, payload, expiresIn) => this.#upsert(kind, id, payload, expiresIn),
      find: async (id) => (signedModels.has(kind) ? undefined : withId(await this.#find(kind, id), id)),
      findByUid: (uid) => this.#read(findByUid, kind, uid),
      findByUserCode: async () => undefined,
      consume: (id) => (kind === "RefreshToken" ? this.#rotate(id) : this.#consume(kind, id)),
      destroy: (id) => this.#destroy(kind, id),
      revokeByGrantId: async (grantId) => {
        if (signedModels.has(kind)) return;
        await this.#pool.query("delete from oidc_artifacts where kind = $1 and grant_id = $2", [kind, grantId]);
      },
    };
  }

  /** Remembers an id that may be used once. True for the first use; the primary key decides between concurrent uses. */
  async takeOnce(kind: string, id: string, expiresAtSeconds: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query({ ...takeOnce, values: [kind, digestOf(id), expiresAtSeconds] });
    return rowCount === 1;
  }

  #find(kind: string, id: string): Promise<AdapterPayload | undefined> {
    if (kind !== "RefreshToken") return this.#read(findById, kind, id);
    return this.#read(findRefreshToken, kind, id, successorsOf(this.#successorKeys, id).map(digestOf));
  }

  async #read(
    statement: { name: string; text: string },
    kind: string,
    secret: string,
    ...more: readonly unknown[]
  ): Promise<AdapterPayload | undefined> {
    const { rows } = await this.#pool.query<ArtifactRow>({ ...statement, values: [kind, digestOf(secret), ...more] });
    const [row] = rows;
    return row && { ...row.payload, ...(row.consumed === null ? {} : { consumed: row.consumed }) };
  }

  async #upsert(kind: string, id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void> {
    const { accountId } = payload;
    const visit = modelsWithVisit.has(kind) ? this.#visit() : undefined;
    const uid = kind === "Grant" ? visit?.sessionUid : payload.uid;
    const expiresAt = payload.exp ?? Math.floor(Date.now() / 1000) + (expiresIn ?? 0);
    const values = {
      kind,
      id: digestOf(id),
      payload: JSON.stringify(withoutSecrets(payload, id)),
      grantId: grantIdOf(kind, id, payload),
      uid: uid === undefined ? null : digestOf(uid),
      accountId: accountId ?? null,
      expiresAt,
    };
    try {
      const { userAgent = null, address = null } = visit ?? {};
      await this.#pool.query(
        kind === "RefreshToken"
          ? { ...storeInFamily, values: storeInFamily.valuesOf(values) }
          : {
              ...store,
              values: store.valuesOf({ ...values, userAgent, address, isVisited: modelsWithVisit.has(kind) }),
            },
      );
    } catch (error) {
      if (unstorableText.has(systemErrorCode(error)))
        throw new errors.InvalidRequest(
          "A parameter holds characters that are not allowed: NUL, or half of a surrogate pair.",
        );
      throw error;
    }
  }

  /** A refresh token's first use, and each repetition that may still have the same successor. */
  async #rotate(id: string): Promise<void> {
    const successors = successorsOf(this.#successorKeys, id);
    const values = ["RefreshToken", digestOf(id), successors.map(digestOf)];
    const { rows } = await this.#pool.query<{ successor: string | null }>({ ...rotateOnce, values });
    const [row] = rows;
    if (!row) return this.#refuseReplay("RefreshToken", id);
    const storedSuccessor = successors.find((successor) => digestOf(successor) === row.successor);
    chooseSuccessor(currentContext(), storedSuccessor ?? successors[0]);
  }

  /** Only one of several uses at the same time succeeds; the others count as a replay. */
  async #consume(kind: string, id: string): Promise<void> {
    const { rowCount } = await this.#pool.query({ ...consumeOnce, values: [kind, digestOf(id)] });
    if (rowCount !== 1) await this.#refuseReplay(kind, id);
  }

  async #refuseReplay(kind: string, id: string): Promise<never> {
    const payload = await this.#read(findById, kind, id);
    await this.#onReplay({ kind, grantId: payload?.grantId });
    throw new errors.InvalidGrant(`This ${kind} was used before. Start again at the authorization endpoint.`);
  }

  async #destroy(kind: string, id: string): Promise<void> {
    if (kind === "Grant") await this.#revokeGrant(id);
    else await this.#pool.query("delete from oidc_artifacts where kind = $1 and id_digest = $2", [kind, digestOf(id)]);
  }
}

/** The grant to which an artifact belongs. */
function grantIdOf(kind: string, id: string, { grantId }: AdapterPayload): string | null {
  if (kind === "Grant") return id;
  return kindsOfGrant.has(kind) ? (grantId ?? null) : null;
}

const digestOf = (secret: string) => hash("sha256", secret, "hex");

/** Stands for an interaction's ID inside its own address. */
const ownId = "{uid}";

function withoutSecrets(payload: AdapterPayload, id: string): AdapterPayload {
  const storedPayload = { ...payload };
  delete storedPayload.jti;
  if (storedPayload.returnTo !== undefined) storedPayload.returnTo = storedPayload.returnTo.replaceAll(id, ownId);
  if (storedPayload.session !== undefined) {
    // the session's cookie; oidc-provider 9.13 writes it here and never reads it
    storedPayload.session = { ...storedPayload.session };
    Reflect.deleteProperty(storedPayload.session, "cookie");
  }
  return storedPayload;
}

function withId(payload: AdapterPayload | undefined, id: string): AdapterPayload | undefined {
  if (!payload) return undefined;
  const { returnTo } = payload;
  return { ...payload, jti: id, ...(returnTo === undefined ? {} : { returnTo: returnTo.replaceAll(ownId, id) }) };
}
