import { setTimeout as pause } from "node:timers/promises";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import type { ClientBase } from "pg";
import { databaseRole, identifier, literal, workerGroup } from "../connections/database-roles.js";
import { advisoryLocks } from "../db/advisory-locks.js";
import { systemErrorCode } from "../errors/system-error.js";
import type { Logger } from "../telemetry/logger.js";

/** A role of earlier releases, which had the same name in all databases of a server, and the role that follows it. */
interface FormerRole {
  readonly former: string;
  readonly role: string;
  readonly login: boolean;
}

/** Every request that uses a table waits behind a lock that is awaited, so this transaction gives up first. */
const lockTimeout = "500ms";
const pauseMs = 1000;
const patienceMs = 300_000;
const lockNotFree = ["55P03", "40P01"];

interface TakenDatabase {
  readonly client: ClientBase;
  readonly prefix: string;
  readonly schemas: readonly SubgraphName[];
  readonly logger: Logger | undefined;
}

/**
 * Runs `work` in one transaction. Where the database was made by an earlier release, `carryOver` gives everything of the
 * former roles to the new ones, which `work` has made; otherwise it does nothing. The release before uses the tables
 * meanwhile, so `work` is repeated as long as one of them is not free.
 */
export async function carryOverFormerRoles(
  { client, prefix, schemas, logger }: TakenDatabase,
  work: (carryOver: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const former = await usedFormerRoles(client, prefix, schemas);
  const deadline = Date.now() + patienceMs;
  for (let attempts = 0; ; attempts += 1) {
    try {
      await client.query("begin");
      if (former.length > 0) await client.query(`set local lock_timeout = '${lockTimeout}'`);
      await work(async () => {
        if (former.length > 0) await client.query(carryOver(former, schemas));
      });
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      const mayEnd = former.length > 0 && lockNotFree.includes(systemErrorCode(error) ?? "");
      if (!mayEnd || Date.now() > deadline) throw error;
      if (attempts === 0) logger?.warn({ err: error }, "the start waits for tables that the release before uses");
    }
    await pause(pauseMs);
  }
}

/**
 * The former roles, if this database still has something of them. A database that another release has only started over
 * is not taken over: its schemas never belonged to the former roles, and these are no members of the new ones.
 */
async function usedFormerRoles(
  client: ClientBase,
  prefix: string,
  schemas: readonly SubgraphName[],
): Promise<FormerRole[]> {
  const all: FormerRole[] = [
    { former: workerGroup, role: databaseRole(prefix, workerGroup), login: false },
    ...schemas.flatMap((schema) =>
      [`${schema}_owner`, `${schema}_app`, `${schema}_worker`].map((former) => ({
        ...{ former, role: databaseRole(prefix, former), login: true },
      })),
    ),
  ];
  const { rows } = await client.query<{ present: string[] | null; used: boolean; ours: boolean }>(
    `select array_agg(former.rolname::text) as present,
       coalesce(bool_or(exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass
         and refobjid = former.oid and dbid = (select oid from pg_database where datname = current_database()))), false) as used,
       coalesce(bool_or(
         exists (select from pg_namespace where nspowner = former.oid and nspname = any($2::text[]))
         or exists (select from pg_auth_members join pg_roles followed on followed.oid = roleid
           where member = former.oid and followed.rolname = any($3::text[]))), false) as ours
     from pg_roles former where former.rolname = any($1::text[])`,
    [all.map(({ former }) => former), schemas, all.map(({ role }) => role)],
  );
  const [{ present, used, ours } = { present: null, used: false, ours: false }] = rows;
  return used && ours ? all.filter(({ former }) => present?.includes(former)) : [];
}

/**
 * Only objects of this database change. Another installation may use the former roles in its own database, so they
 * lose nothing that is theirs on the server. They become members of the new roles, and their new sessions in this
 * database act as these, so that what the release before makes meanwhile belongs to the new roles too.
 */
function carryOver(former: readonly FormerRole[], schemas: readonly SubgraphName[]): string {
  const names = literal(JSON.stringify(Object.fromEntries(former.map((pair) => [pair.former, pair.role]))));
  const statements = [
    // no migration of the release before runs meanwhile
    ...schemas.map((schema) => `select pg_advisory_xact_lock(${advisoryLocks.migration}, hashtext('${schema}'))`),
    ...former.map((pair) => `grant ${identifier(pair.role)} to ${identifier(pair.former)}`),
    `do ${literal(movement(names))}`,
  ];
  for (const { former: name, role, login } of former)
    if (login)
      statements.push(
        `do ${literal(`begin execute format(${literal(`alter role ${identifier(name)} in database %I set role = ${literal(role)}`)}, current_database()); end`)}`,
      );
  return statements.join(";\n");
}

/** PL/pgSQL. `names` is a literal of JSON: the new role of each former one. */
const movement = (names: string): string => `
declare
  names jsonb := ${names};
  former oid[] := array(select oid from pg_roles where names ? rolname);
  kind record;
begin
  if exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = any(former)
    and dbid = 0 and deptype = 'o') then
    raise exception 'A former role owns a database or a tablespace. Give it another owner first.';
  end if;

  for kind in select rolname from pg_roles where oid = any(former) loop
    execute format('reassign owned by %I to %I', kind.rolname, names ->> kind.rolname);
  end loop;

  for kind in select polname, polrelid::regclass as relation,
      (select string_agg(case when member.oid = 0 then 'public'
          else quote_ident(coalesce(names ->> rolname::text, rolname)) end, ', ')
        from unnest(polroles) member (oid) left join pg_roles using (oid)) as roles
    from pg_policy where polroles && former loop
    execute format('alter policy %I on %s to %s', kind.polname, kind.relation, kind.roles);
  end loop;

  for kind in select owned.object, rolname, string_agg(distinct privilege_type, ', ') as privileges
    from (
      select format('%s %s', case relkind when 'S' then 'sequence' else 'table' end, oid::regclass) as object,
        relacl as acl from pg_class where relacl is not null
      union all select format('schema %I', nspname), nspacl from pg_namespace where nspacl is not null
      union all select format('routine %s', oid::regprocedure), proacl from pg_proc where proacl is not null
      union all select format('type %s', oid::regtype), typacl from pg_type where typacl is not null
    ) owned, aclexplode(owned.acl) entry join pg_roles on pg_roles.oid = entry.grantee
    where entry.grantee = any(former) group by 1, 2 loop
    execute format('grant %s on %s to %I', kind.privileges, kind.object, names ->> kind.rolname);
    execute format('revoke %s on %s from %I', kind.privileges, kind.object, kind.rolname);
  end loop;

  -- the new roles have default privileges of their own
  for kind in select distinct defaclrole::regrole as owner, nspname, entry.grantee::regrole as grantee,
      case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' end as objects
    from pg_default_acl join pg_namespace on pg_namespace.oid = defaclnamespace, aclexplode(defaclacl) entry
    where defaclrole = any(former) and defaclobjtype in ('r', 'S', 'f') and entry.grantee <> 0 loop
    execute format('alter default privileges for role %s in schema %I revoke all on %s from %s',
      kind.owner, kind.nspname, kind.objects, kind.grantee);
  end loop;
  for kind in select defaclrole::regrole as owner from pg_default_acl
    where defaclrole = any(former) and defaclnamespace = 0 and defaclobjtype = 'f' loop
    execute format('alter default privileges for role %s grant execute on functions to public', kind.owner);
  end loop;
end`;
