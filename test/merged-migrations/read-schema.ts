import type { ClientBase } from "pg";

/** A table as PostgreSQL's catalog has it. Expressions and definitions are the server's texts. */
export interface CatalogTable {
  readonly name: string;
  readonly options: readonly string[] | null;
  readonly secured: boolean;
  readonly forced: boolean;
  readonly columns: readonly CatalogColumn[];
  readonly checks: readonly Definition[];
  /** All indexes in the order in which they were made, with those for primary keys and unique constraints. */
  readonly indexes: readonly (Definition & { readonly constraint: string | null; readonly primary: boolean })[];
  readonly policies: readonly CatalogPolicy[];
  readonly triggers: readonly Definition[];
  readonly grants: readonly Grant[];
}

export interface CatalogColumn {
  readonly name: string;
  /** The name with quotes where the server prints it so. */
  readonly written: string;
  readonly type: string;
  readonly required: boolean;
  /** The constraint's name on a server that has one for each required column. */
  readonly requirement: string | null;
  readonly expression: string | null;
  readonly generated: boolean;
  readonly collation: string | null;
  /** How long values are stored, if it is not as usual for the type. */
  readonly storage: string | null;
}

export interface CatalogPolicy {
  readonly name: string;
  readonly command: string;
  readonly permissive: boolean;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
}

/** The privileges that a role beside the owner has. */
export interface Grant {
  readonly role: string;
  readonly privileges: readonly string[];
}

export interface Definition {
  readonly name: string;
  readonly definition: string;
}

export interface CatalogFunction extends Definition {
  /** Its name with its argument types. */
  readonly signature: string;
  readonly grants: readonly Grant[];
}

export interface CatalogSchema {
  readonly tables: readonly CatalogTable[];
  readonly functions: readonly CatalogFunction[];
  readonly foreignKeys: readonly (Definition & { readonly table: string })[];
}

const grantsOf = (acl: string, owner: string) => `(select coalesce(json_agg(granted order by role), '[]') from (
    select coalesce(rolname::text, 'public') as role, json_agg(lower(privilege_type) order by privilege_type) as privileges
    from aclexplode(${acl}) entry left join pg_roles on pg_roles.oid = entry.grantee
    where entry.grantee <> ${owner} group by 1) granted)`;

const columns = `(select json_agg(json_build_object(
    'storage', case when attstorage <> typstorage then
      case attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end,
    'name', attname, 'written', quote_ident(attname), 'type', format_type(atttypid, atttypmod), 'required', attnotnull, 'generated', attgenerated <> '',
    'expression', pg_get_expr(adbin, adrelid),
    'requirement', (select conname from pg_constraint
      where contype::text = 'n' and conrelid = attrelid and conkey = array[attnum]),
    'collation', case when attcollation <> typcollation then collname end) order by attnum)
  from pg_attribute join pg_type on pg_type.oid = atttypid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    left join pg_collation on pg_collation.oid = attcollation
  where attrelid = relation.oid and attnum > 0 and not attisdropped)`;

const indexes = `(select json_agg(json_build_object('name', conname, 'primary', indisprimary,
    'definition', coalesce(pg_get_constraintdef(pg_constraint.oid), pg_get_indexdef(indexrelid)),
    'constraint', conname) order by indexrelid)
  from pg_index left join pg_constraint on conindid = indexrelid and contype in ('p', 'u', 'x')
  where indrelid = relation.oid)`;

const policies = `(select json_agg(json_build_object('name', polname, 'permissive', polpermissive,
    'command', case polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
    'roles', (select json_agg(coalesce(rolname::text, 'public') order by rolname)
      from unnest(polroles) member (id) left join pg_roles on pg_roles.oid = member.id),
    'using', pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid)) order by pg_policy.oid)
  from pg_policy where polrelid = relation.oid)`;

const tablesOf = `select relname as name, reloptions as options, relrowsecurity as secured, relforcerowsecurity as forced,
    ${columns} as columns, coalesce(${indexes}, '[]') as indexes, coalesce(${policies}, '[]') as policies,
    coalesce((select json_agg(json_build_object('name', conname, 'definition', pg_get_constraintdef(oid)) order by oid)
      from pg_constraint where conrelid = relation.oid and contype = 'c'), '[]') as checks,
    coalesce((select json_agg(json_build_object('name', tgname, 'definition', pg_get_triggerdef(oid)) order by oid)
      from pg_trigger where tgrelid = relation.oid and not tgisinternal), '[]') as triggers,
    ${grantsOf("relacl", "relowner")} as grants
  from pg_class relation where relkind = 'r' and relnamespace = $1::regnamespace and relname <> 'migrations' order by oid`;

const functionsOf = `select proname as name, pg_get_functiondef(oid) as definition, oid::regprocedure::text as signature,
    ${grantsOf("coalesce(proacl, acldefault('f', proowner))", "proowner")} as grants
  from pg_proc where pronamespace = $1::regnamespace order by oid`;

const foreignKeysOf = `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint where contype = 'f' and connamespace = $1::regnamespace order by oid`;

/** The objects that this program does not write. Comparing both ways would find them missing. */
const otherObjects = `select format('%s (%s)', oid::regclass, relkind) as name from pg_class
  where relnamespace = $1::regnamespace and relkind not in ('r', 'i', 'S') and relkind <> 't'`;

/** Reads a schema's tables, functions and foreign keys, the oldest first. The migrations table is left out. */
export async function readSchema(client: ClientBase, schema: string): Promise<CatalogSchema> {
  const query = async <Row>(text: string) => (await client.query(text, [schema])).rows as Row[];
  // Without a search path the server prints each name's schema.
  await client.query("set search_path to ''");
  const others = await query<{ name: string }>(otherObjects);
  if (others.length > 0) throw new Error(`Not written: ${others.map(({ name }) => name).join(", ")}`);
  return {
    tables: await query<CatalogTable>(tablesOf),
    functions: await query<CatalogFunction>(functionsOf),
    foreignKeys: await query<CatalogSchema["foreignKeys"][number]>(foreignKeysOf),
  };
}
