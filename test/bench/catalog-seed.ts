import { createHash, randomUUID } from "node:crypto";
import pg from "pg";
import type { Stage } from "./bench-platform.js";

export const libraryCount = 10_000;
export const versionsEach = 20;
export const capabilitiesEach = 20;

export const areas = names("area", 400, ["pay", "mes", "led", "inv", "tax", "geo", "doc", "aud"]);
export const actions = names("action", 80, ["send", "load", "keep", "move", "read"]);

/** Makes names like real ones: few beginnings and many endings. Each word has at least five letters. */
function names(kind: string, count: number, beginnings: readonly string[]): string[] {
  const letters = "bcdfgklmnprstvz";
  return Array.from({ length: count }, (_, at) => {
    const beginning = beginnings[at % beginnings.length] ?? kind;
    return `${beginning}${letters[at % 15]}o${letters[Math.floor(at / 15) % 15]}i${letters[Math.floor(at / 225) % 15]}`;
  });
}

const seeds = new WeakMap<Stage, Promise<void>>();

/**
 * Writes libraries for two tenants under the same names, with the same rows as `registerLibrary` but without events.
 */
export function seedCatalog(stage: Stage): Promise<void> {
  const seeding = seeds.get(stage) ?? seed(stage.databaseUrl, [stage.tenantUuid, randomUUID()]);
  seeds.set(stage, seeding);
  return seeding;
}

/** The n-th library's name. */
export function packageName(n: number): string {
  return `Pack.${createHash("md5").update(String(n)).digest("hex").slice(0, 8)}.${n}`;
}

async function seed(databaseUrl: string, tenants: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set search_path = catalog");
    await client.query(
      `create temporary table library as
       select gen_random_uuid() as id, n, 'Pack.' || substr(md5(n::text), 1, 8) || '.' || n as name
       from generate_series(1, ${libraryCount}) n`,
    );
    // each library has one area (the first areas are rare) and several consecutive actions in it
    await client.query(
      `create temporary table capability as
       select id, place, ($1::text[])[1 + (n * 7 + place / 10 * 31) % $3] as area,
         ($2::text[])[1 + (n / 3 + place * (1 + n % 3)) % $4] as action
       from library, generate_series(0, ${capabilitiesEach - 1}) place`,
      [areas, actions, areas.length, actions.length],
    );
    for (const tenant of tenants) for (const statement of seeding) await client.query(statement, [tenant]);
    for (const table of ["libraries", "library_versions", "search_entries", "search_postings", "search_words"])
      await client.query(`vacuum analyze ${table}`);
  } finally {
    await client.end();
  }
}

const seeding = [
  `insert into libraries (tenant_id, library_id, package_name, package_key, area, owner, capabilities, tags, status, created_at)
   select $1, id, name, lower(name), 'Area-' || n % 50, 'team-' || n % 100,
     jsonb_agg(jsonb_build_object('name', capability.area || '.' || action,
       'contract', capability.area || '-' || action || '/v1') order by place),
     array['tag-' || n % 40], 'Active', now()
   from library join capability using (id) group by id, n, name`,
  `insert into library_versions (tenant_id, library_version_id, library_id, semantic_version, version_key, target_frameworks,
     dependencies, conflicts_with, status, created_at)
   select $1, gen_random_uuid(), id, v || '.' || n % 7 || '.0', v || '.' || n % 7 || '.0',
     case when v <= 10 then array['netstandard2.0', 'net48'] when n % 3 = 0 then array['net6.0'] else array['net8.0', 'net6.0'] end,
     '[]', '[]', 'Published', now()
   from library, generate_series(1, ${versionsEach}) v`,
  // libraries 1 to 199 depend on two others each; about 350 libraries can be reached from the first 50
  `with dependent as (
     select asking.id, jsonb_agg(jsonb_build_object('packageName', needed.name, 'range', '1.0.0')) as dependencies,
       array_agg(lower(needed.name)) as keys
     from library asking join library needed on needed.n in (asking.n * 2 + 100, asking.n * 2 + 101)
     where asking.n < 200 group by asking.id),
   keyed as (
     update libraries set dependency_keys = keys, revision = 1 from dependent
     where tenant_id = $1 and library_id = dependent.id)
   update library_versions set dependencies = dependent.dependencies from dependent
   where tenant_id = $1 and library_id = dependent.id`,
  `insert into search_entries (tenant_id, entry_id, source, name_key, area_key, owner_key, tags, status, frameworks, versioned)
   select $1, id, 'Library', lower(name), 'area-' || n % 50, 'team-' || n % 100, array['tag-' || n % 40], 'Active',
     case when n % 3 = 0 then array['net48', 'net6.0', 'netstandard2.0'] else array['net48', 'net6.0', 'net8.0', 'netstandard2.0'] end, true
   from library`,
  `insert into search_postings (tenant_id, kind, term, api_client, unusable, name_key, entry_id, places)
   select $1, kind, term, false, false, lower(name), id, bit_or(1::bit(128) << (127 - place))
   from library join capability using (id) cross join lateral (values (1, area || ' ' || action), (2, area || ' ' || action || ' v1'),
     (3, area), (3, action), (3, 'v1')) held(kind, term)
   group by kind, term, id, name`,
  `insert into search_words (tenant_id, spelling, word)
   select $1, spelling, word from (select distinct term as word from search_postings where tenant_id = $1 and kind = 3) known
   cross join lateral (
     select word as spelling union
     select left(word, at - 1) || substr(word, at + 1) from generate_series(1, length(word)) at) spelt
   where length(word) >= 4`,
  `insert into search_frameworks (tenant_id, framework)
   select $1, unnest(array['net48', 'net6.0', 'net8.0', 'netstandard2.0'])`,
];
