// tables: oidc_artifacts, api_clients, users
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { versionOfSession, versionsOfGrant } from "../accounts/stored-versions.js";

/** A session or an application as PostgreSQL gives it. */
export interface OwnSessionRow {
  kind: "Session" | "Grant";
  /** SHA-256 of a session's uid, or of a grant's ID, hex. */
  session_id: string;
  client_name: string | null;
  user_agent: string | null;
  address: string | null;
  /** Epoch seconds. */
  started_at: number | null;
  seen_at: Date | null;
}

/**
 * The browsers in which the user ($1, `usr_…`, and $2 as UUID) is signed in, and the applications that can renew their
 * tokens. Those from before the user was disabled or has changed the password are left out: they are refused.
 */
export const ownSessions = {
  name: "own_sessions",
  text: `with current as (select sign_in_version as version from users where user_id = $2)
    select 'Session' as kind, uid_digest as session_id, null as client_name, user_agent, address,
        (payload->>'loginTs')::int as started_at, seen_at
      from oidc_artifacts, current
      where kind = 'Session' and account_id = $1 and expires_at > now()
        and coalesce((payload->>'${versionOfSession}')::int, 0) = version
        and not exists (select from oidc_artifacts mark where mark.kind = 'EndedSession' and mark.id_digest = oidc_artifacts.uid_digest)
    union all
    select 'Grant', id_digest, client.name, user_agent, address, (payload->>'iat')::int,
        greatest(seen_at, (select max(to_timestamp((token.payload->>'iat')::int)) from oidc_artifacts token
          where token.kind = 'RefreshToken' and token.grant_id = artifact.grant_id))
      from oidc_artifacts artifact cross join current
      left join api_clients client on client.client_id = payload->>'clientId'
      where kind = 'Grant' and account_id = $1 and expires_at > now()
        and coalesce((payload->'${versionsOfGrant}'->>'signIn')::int, 0) = version
        and exists (select from oidc_artifacts token where token.kind = 'RefreshToken'
          and token.grant_id = artifact.grant_id and token.consumed_at is null and token.expires_at > now())
    order by seen_at desc nulls last limit 200`,
};

/**
 * Leaves a mark for each session: a request that is under way may store the session again, and the adapter reads no
 * session with a mark. The mark lasts longer than every session. Deletes at most `$limit` user sessions: those with the
 * digests, or, with `$isKept`, the others.
 */
export const endBrowserSessions = namedStatement(
  "end_browser_sessions",
  `with ended as (
      delete from oidc_artifacts where kind = 'Session' and id_digest in (
        select id_digest from oidc_artifacts
        where kind = 'Session' and account_id = $account and (uid_digest = any($digests)) <> $isKept limit $limit)
      returning uid_digest),
    marks as (
      insert into oidc_artifacts (kind, id_digest, payload, expires_at)
      select distinct 'EndedSession', uid_digest, '{}'::jsonb, now() + interval '8 days' from ended
      on conflict (kind, id_digest) do nothing)
    select uid_digest as session_id from ended`,
);

/**
 * Deletes at most `$limit` user grants: those whose ID or whose session has one of the digests, or, with `$isKept`, the
 * others. A grant without a session belongs to none.
 */
export const endGrants = namedStatement(
  "end_grants_of_user",
  `delete from oidc_artifacts where kind = 'Grant' and id_digest in (
      select id_digest from oidc_artifacts where kind = 'Grant' and account_id = $account
        and (id_digest = any($digests) or coalesce(uid_digest = any($digests), false)) <> $isKept
      limit $limit)
    returning id_digest as session_id, grant_id`,
);

/** Deletes the codes and refresh tokens from grants ($1). */
export const deleteTokensOfGrants = {
  name: "delete_tokens_of_grants",
  text: "delete from oidc_artifacts where grant_id = any($1)",
};

/** The digest for the session in which the grant ($1) was made; null without one. */
export const sessionOfGrant = {
  name: "session_of_grant",
  text: "select uid_digest from oidc_artifacts where kind = 'Grant' and grant_id = $1",
};

/** Deletes everything that the authorization server stores about a user ($1) who was deleted. */
export const eraseArtifacts = {
  name: "erase_artifacts_of_user",
  text: "delete from oidc_artifacts where account_id = $1",
};
