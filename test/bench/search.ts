import { randomUUID } from "node:crypto";
import { call } from "@factory/gateway/standalone/platform-api";
import pg from "pg";
import { type Figures, percentile } from "./report.js";
import type { Stage } from "./stage.js";

const libraryCount = 10_000;
const versionsEach = 20;
const capabilitiesEach = 20;
const warmUps = 20;
const requestsEach = 150;
const goalMs = 15;

interface Found {
  readonly total: number;
  readonly nextCursor: string | null;
}

const areas = names("area", 400, ["pay", "mes", "led", "inv", "tax", "geo", "doc", "aud"]);
const actions = names("action", 80, ["send", "load", "keep", "move", "read"]);

/** Words as people choose them: few beginnings, many endings; each at least five letters. */
function names(kind: string, count: number, beginnings: readonly string[]): string[] {
  const letters = "bcdfgklmnprstvz";
  return Array.from({ length: count }, (_, at) => {
    const begun = beginnings[at % beginnings.length] ?? kind;
    return `${begun}${letters[at % 15]}o${letters[Math.floor(at / 15) % 15]}i${letters[Math.floor(at / 225) % 15]}`;
  });
}

/** What is asked, with a name for its line. */
function searches(): Record<string, Record<string, unknown>> {
  const [area = "", action = ""] = [areas[17], actions[11]];
  return {
    "exact name": { capability: `${area}.${action}` },
    contract: { capability: `${area}-${action}/v1` },
    "first word of a name": { capability: area },
    "two words, other order": { capability: `${action} ${area}` },
    "a word of 1 in 80": { capability: action },
    "beginning of a word": { capability: area.slice(0, -1) },
    misspelt: { capability: `${area.slice(0, 2)}${area[3]}${area[2]}${area.slice(4)}.${action}` },
    "nothing alike": { capability: "zzzzzzzz.yyyyyyyy" },
    "name and framework": { capability: `${area}.${action}`, targetFramework: "net8.0" },
    "misspelt and framework": { capability: `${area}x`, targetFramework: "net48" },
    "name, area, owner, tag": { capability: action, area: "AREA-7", owner: "team-7", tags: ["tag-7"] },
    "with API clients": { capability: `${area}.${action}`, includeApiClients: true },
    "a page of 100": { capability: area, limit: 100 },
    area: { area: "area-7" },
    "the whole catalog": {},
    "a word of every library": { capability: "v1" },
  };
}

/** Searches over REST in a tenant of 200,000 capabilities, beside another that has as many under the same names. */
export async function librarySearches({ platform, token, databaseUrl, tenantUuid }: Stage): Promise<Figures> {
  await seed(databaseUrl, [tenantUuid, randomUUID()]);
  const search = async (body: unknown) =>
    (await call<Found>("POST", `${platform.publicUrl}/v1/libraries/search`, { token, body })).body;
  const values: Record<string, number> = {};
  const missed: string[] = [];
  for (const [name, input] of Object.entries(searches())) {
    const { total, nextCursor } = await search(input);
    const pages = nextCursor === null ? [input] : [input, { ...input, cursor: nextCursor }];
    const takenMs: number[] = [];
    for (let place = 0; place < warmUps + requestsEach; place += 1) {
      const started = performance.now();
      await search(pages[place % pages.length]);
      if (place >= warmUps) takenMs.push(performance.now() - started);
    }
    values[`${name}: found`] = total;
    values[`${name}: p50 ms`] = percentile(takenMs, 0.5);
    values[`${name}: p95 ms`] = percentile(takenMs, 0.95);
    if (percentile(takenMs, 0.95) > goalMs) missed.push(name);
  }
  const verdict = missed.length === 0 ? "met" : `MISSED by ${missed.join(", ")}`;
  return {
    title: `Library search over REST, ${libraryCount} libraries of ${versionsEach} versions and ${capabilitiesEach} capabilities`,
    values,
    verdict: `goal: p95 at most ${goalMs} ms; result: ${verdict}`,
  };
}

/** As `registerLibrary` writes them; no event tells of them. */
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
    // a library has one area, seldom one of the first, and a run of actions in it
    await client.query(
      `create temporary table capability as
       select id, place, ($1::text[])[1 + (n * 7 + place / 10 * 31) % $3] as area,
         ($2::text[])[1 + (n / 3 + place * (1 + n % 3)) % $4] as action
       from library, generate_series(0, ${capabilitiesEach - 1}) place`,
      [areas, actions, areas.length, actions.length],
    );
    for (const tenant of tenants) for (const statement of seeding) await client.query(statement, [tenant]);
    for (const table of ["libraries", "library_versions", "search_entries", "search_terms", "search_words"])
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
  `insert into search_entries (tenant_id, entry_id, source, name_key, area_key, owner_key, tags, status, frameworks, versioned)
   select $1, id, 'Library', lower(name), 'area-' || n % 50, 'team-' || n % 100, array['tag-' || n % 40], 'Active',
     case when n % 3 = 0 then array['net48', 'net6.0', 'netstandard2.0'] else array['net48', 'net6.0', 'net8.0', 'netstandard2.0'] end, true
   from library`,
  `insert into search_terms (tenant_id, kind, term, entry_id, places)
   select $1, kind, term, id, bit_or(1::bit(128) << (127 - place))
   from capability cross join lateral (values (1, area || ' ' || action), (2, area || ' ' || action || ' v1'),
     (3, area), (3, action), (3, 'v1')) held(kind, term)
   group by kind, term, id`,
  `insert into search_words (tenant_id, spelling, word)
   select $1, spelling, word from (select distinct term as word from search_terms where tenant_id = $1 and kind = 3) known
   cross join lateral (
     select word as spelling union
     select left(word, at - 1) || substr(word, at + 1) from generate_series(1, length(word)) at) spelt
   where length(word) >= 4`,
  `insert into search_frameworks (tenant_id, framework)
   select $1, unnest(array['net48', 'net6.0', 'net8.0', 'netstandard2.0'])`,
];
