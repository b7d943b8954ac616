import pg from "pg";

/** Each object in a schema with everything that the catalog says about it, ids and statistics apart. */
export type SchemaObjects = ReadonlyMap<string, string>;

const grantsIn = (acl: string) => `(select jsonb_agg(line order by line) from (
    select format('%s by %s: %s', coalesce(grantee.rolname, 'public'), grantor.rolname, privilege_type) || is_grantable as line
    from aclexplode(${acl}) entry left join pg_roles grantee on grantee.oid = entry.grantee
      join pg_roles grantor on grantor.oid = entry.grantor) acl)`;

const roleOf = (id: string) => `(select rolname from pg_roles where oid = ${id})`;

/** A catalog row as JSON, without columns that hold ids, statistics or something shown in another form. */
const rowOf = (alias: string, ...leftOutColumns: string[]) =>
  `to_jsonb(${alias}) - array[${leftOutColumns.map((name) => `'${name}'`).join(", ")}]`;

const relation = "relation.oid::regclass::text";

/** One statement for each object kind. It returns the name and the content. */
const kinds: Readonly<Record<string, string>> = {
  schema: `select nspname as name, jsonb_build_object('owner', ${roleOf("nspowner")}, 'acl', ${grantsIn("nspacl")}) as content
    from pg_namespace where nspname = $1`,

  // The flags about triggers, rules and indexes are cleared late, and `relnatts` counts dropped columns too.
  relation: `select ${relation} as name, jsonb_build_object('owner', ${roleOf("relowner")}, 'acl', ${grantsIn("relacl")},
      'view', case when relkind in ('v', 'm') then pg_get_viewdef(relation.oid) end,
      'toast', reltoastrelid <> 0) || ${rowOf(
        "relation",
        ...["oid", "relnamespace", "reltype", "relowner", "relacl", "relfilenode", "relpages", "reltuples"],
        ...["relallvisible", "relallfrozen", "reltoastrelid", "relfrozenxid", "relminmxid", "relnatts"],
        ...["relhastriggers", "relhasrules", "relhasindex", "relpartbound"],
      )} as content
    from pg_class relation where relnamespace = $1::regnamespace`,

  column: `select ${relation} || '.' || attname as name, jsonb_build_object(
      'place', row_number() over (partition by attrelid order by attnum),
      'type', format_type(atttypid, atttypmod), 'default', pg_get_expr(adbin, adrelid),
      'collation', (select collname from pg_collation where oid = attcollation), 'acl', ${grantsIn("attacl")}) || ${rowOf(
        "pg_attribute",
        ...["attrelid", "attnum", "atttypid", "attcollation", "attacl", "atthasmissing", "attmissingval"],
      )} as content
    from pg_attribute join pg_class relation on relation.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = $1::regnamespace and attnum > 0 and not attisdropped`,

  constraint: `select coalesce(nullif(conrelid, 0)::regclass::text, contypid::regtype::text) || ' ' || conname as name,
      jsonb_build_object('definition', pg_get_constraintdef(constrained.oid), 'on', conindid::regclass) || ${rowOf(
        "constrained",
        ...["oid", "connamespace", "conrelid", "contypid", "conindid", "conparentid", "confrelid", "conkey", "confkey"],
        ...["conbin", "conexclop"],
      )} as content
    from pg_constraint constrained where connamespace = $1::regnamespace`,

  index: `select indexrelid::regclass::text as name, jsonb_build_object('definition', pg_get_indexdef(indexrelid), 'place',
      row_number() over (partition by indrelid order by indexrelid)) || ${rowOf(
        "pg_index",
        ...["indexrelid", "indrelid", "indkey", "indexprs", "indpred", "indcheckxmin"],
      )} as content
    from pg_index join pg_class relation on relation.oid = indexrelid where relnamespace = $1::regnamespace`,

  sequence: `select ${relation} as name, jsonb_build_object('owned by', (select format('%s.%s %s', refobjid::regclass, attname, deptype)
      from pg_depend join pg_attribute on attrelid = refobjid and attnum = refobjsubid
      where objid = relation.oid and classid = 'pg_class'::regclass and refobjsubid > 0)) || ${rowOf("pg_sequence", "seqrelid")} as content
    from pg_sequence join pg_class relation on relation.oid = seqrelid where relnamespace = $1::regnamespace`,

  policy: `select ${relation} || ' ' || polname as name, jsonb_build_object('command', polcmd, 'permissive', polpermissive,
      'using', pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid),
      'roles', (select jsonb_agg(coalesce(rolname, 'public') order by rolname)
        from unnest(polroles) member (id) left join pg_roles on pg_roles.oid = member.id)) as content
    from pg_policy join pg_class relation on relation.oid = polrelid where relnamespace = $1::regnamespace`,

  trigger: `select ${relation} || ' ' || case when tgisinternal then conname || ' ' || tgfoid::regproc else tgname end as name,
      jsonb_build_object('enabled', tgenabled, 'kind', tgtype, 'deferrable', tgdeferrable, 'deferred', tginitdeferred,
        'definition', case when not tgisinternal then pg_get_triggerdef(pg_trigger.oid) end) as content
    from pg_trigger join pg_class relation on relation.oid = tgrelid left join pg_constraint on pg_constraint.oid = tgconstraint
    where relnamespace = $1::regnamespace`,

  function: `select called.oid::regprocedure::text as name, jsonb_build_object('owner', ${roleOf("proowner")},
      'acl', ${grantsIn("proacl")},
      'definition', case when prokind in ('f', 'p') then pg_get_functiondef(called.oid) end) || ${rowOf(
        "called",
        ...["oid", "pronamespace", "proowner", "proacl", "proargtypes", "proallargtypes", "prorettype"],
        ...["proargdefaults", "prosqlbody"],
      )} as content
    from pg_proc called where pronamespace = $1::regnamespace`,

  type: `select formed.oid::regtype::text as name, jsonb_build_object('owner', ${roleOf("typowner")}, 'acl', ${grantsIn("typacl")},
      'labels', (select jsonb_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = formed.oid),
      'base', nullif(typbasetype, 0)::regtype, 'of', nullif(typelem, 0)::regtype) || ${rowOf(
        "formed",
        ...[
          "oid",
          "typnamespace",
          "typowner",
          "typacl",
          "typrelid",
          "typelem",
          "typarray",
          "typbasetype",
          "typdefaultbin",
        ],
      )} as content
    from pg_type formed where typnamespace = $1::regnamespace`,

  rule: `select ${relation} || ' ' || rulename as name, to_jsonb(pg_get_ruledef(pg_rewrite.oid)) as content
    from pg_rewrite join pg_class relation on relation.oid = ev_class where relnamespace = $1::regnamespace`,

  statistics: `select stxname::text as name, to_jsonb(pg_get_statisticsobjdef(oid)) as content
    from pg_statistic_ext where stxnamespace = $1::regnamespace`,

  comment: `select identity.type || ' ' || identity.identity as name, to_jsonb(description) as content
    from pg_description, pg_identify_object(classoid, objoid, objsubid) identity where identity.schema = $1`,

  "default privilege": `select concat_ws(' ', ${roleOf("defaclrole")}, nspname, defaclobjtype) as name, ${grantsIn("defaclacl")} as content
    from pg_default_acl left join pg_namespace on pg_namespace.oid = defaclnamespace
    where nspname is null or nspname = $1`,

  operator: `select oprname::text as name, to_jsonb(oprcode) as content from pg_operator where oprnamespace = $1::regnamespace
    union all select collname, to_jsonb(collcollate) from pg_collation where collnamespace = $1::regnamespace`,
};

/** Reads all objects in a schema, and its tables' rows. The recorded migrations are read by their names. */
export async function schemaObjects(url: string, schema: string): Promise<SchemaObjects> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const objects = new Map<string, string>();
    for (const [kind, statement] of Object.entries(kinds)) {
      const { rows } = await client.query<{ name: string; content: unknown }>(statement, [schema]);
      for (const { name, content } of rows) objects.set(`${kind} ${name}`, JSON.stringify(content));
    }
    const { rows: tables } = await client.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind in ('r', 'p', 'm') and relnamespace = $1::regnamespace`,
      [schema],
    );
    for (const { name } of tables) {
      const columns = name === `${schema}.migrations` ? "name" : "*";
      const { rows } = await client.query(`select ${columns} from ${name}`);
      objects.set(`rows of ${name}`, JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted()));
    }
    return objects;
  } finally {
    await client.end();
  }
}

/** The objects that only one of two schemas has, and those that differ between both, with the facts that differ. */
export function schemaDifferences(expectedObjects: SchemaObjects, actual: SchemaObjects): string[] {
  const names = new Set([...expectedObjects.keys(), ...actual.keys()]);
  return [...names].toSorted().flatMap((name) => {
    const [expectedContent, present] = [expectedObjects.get(name), actual.get(name)];
    if (expectedContent === present) return [];
    if (present === undefined) return [`missing: ${name}`];
    if (expectedContent === undefined) return [`surplus: ${name}`];
    return [`different: ${name}: ${differentFacts(JSON.parse(expectedContent), JSON.parse(present))}`];
  });
}

function differentFacts(expectedFacts: object, present: object): string {
  const before = new Map(Object.entries(expectedFacts));
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return Object.entries(present)
    .filter(([fact, value]) => text(value) !== text(before.get(fact)))
    .map(([fact, value]) => `${fact} ${text(before.get(fact))} became ${text(value)}`)
    .join(", ");
}
