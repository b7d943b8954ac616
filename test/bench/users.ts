import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import type { Stage } from "./bench-platform.js";
import { type Figures, percentile } from "./report.js";

const userCount = 1_000_000;
const warmUps = 20;
const requestsEach = 150;
const goalMs = 20;

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
}

/**
 * Writes a tenant with a million users beside the bench's tenant. Ids grow with time, as on the platform. One user in a
 * thousand is Disabled and one in five hundred is Deleted. Every user is a Viewer, one in ten is a Developer, and one
 * in ten thousand is a Publisher.
 */
async function seedUsers(stage: Stage, tenantUuid: string | undefined): Promise<void> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const execute = (text: string, values: unknown[] = []) => client.query(text, values);
  try {
    await execute("set synchronous_commit = off");
    for (let from = 1; from <= userCount; from += batch) {
      const ids = Array.from({ length: batch }, (_, at) => idAt(from + at));
      await execute(insertUsers, [tenantUuid, ids, from]);
      for (const [code, every] of holders) {
        const holding = ids.filter((_, at) => (from + at) % every === 0).map((id) => encodeId("usr", id));
        if (holding.length > 0) await execute(insertHolders, [tenantUuid, holding, code]);
      }
    }
    await execute("vacuum analyze spine.users");
    await execute("vacuum analyze spine.role_assignments");
  } finally {
    await client.end();
  }
}

const batch = 50_000;
const holders = [
  ["Viewer", 1],
  ["Developer", 10],
  ["Publisher", 10_000],
] as const;

/** A version 7 UUID. Each is one millisecond later than the previous one. */
function idAt(place: number): string {
  const time = (1_700_000_000_000 + place).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${place.toString(16).padStart(12, "0")}`;
}

const insertUsers = `
  insert into spine.users (tenant_id, user_id, email, email_key, display_name, status, password_hash, created_at, updated_at)
  select $1, user_id, email, email, display_name,
    case when n % 1000 = 7 then 'Disabled' when n % 500 = 3 then 'Deleted' else 'Active' end, 'none', now(), now()
  from (
    select n, user_id,
      (array['ada','grace','linus','edsger','barbara','donald','alan','radia','ken','margaret'])[1 + n % 10]
        || '.' || to_hex(n * 7919 % 1048576) || '.' || n || '@people.example' as email,
      (array['Ada','Grace','Linus','Edsger','Barbara','Donald','Alan','Radia','Ken','Margaret'])[1 + n % 10]
        || ' ' || chr(65 + (n % 26)::int) || to_hex(n * 104729 % 1048576) as display_name
    from (select place - 1 + $3::bigint as n, id as user_id
          from unnest($2::uuid[]) with ordinality as given(id, place)) numbered) made`;

const insertHolders = `
  insert into spine.role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
  select $1, gen_random_uuid(), (select role_id from spine.roles where tenant_id = $1 and code = $3), id, 'bench', now()
  from unnest($2::text[]) id`;

const searches: Record<string, string> = {
  "first page": "",
  "a page of 200": "limit=200",
  "status Active": "status=Active",
  "status Disabled": "status=Disabled",
  "status Deleted": "status=Deleted",
  "an address": "email=ada.13556.10@people.example",
  "nobody's address": "email=nobody@people.example",
  "role of everybody": "roleCode=Viewer",
  "role of one in ten": "roleCode=Developer",
  "role of a hundred": "roleCode=Publisher",
  "role of nobody": "roleCode=Integrator",
  "beginning of one in ten": "q=ada",
  "beginning of few": "q=ada%20k",
  "beginning of a thousand": "q=grace.1",
  "beginning of nobody": "q=zzz",
  "one letter": "q=a",
  "Disabled Viewers": "status=Disabled&roleCode=Viewer",
  "Disabled Publishers": "status=Disabled&roleCode=Publisher",
  "Active Publishers": "status=Active&roleCode=Publisher",
  "Disabled who begin": "status=Disabled&q=margaret",
  "Active who begin": "status=Active&q=ken",
  "Developers who begin": "roleCode=Developer&q=ada",
  "Publishers who begin": "roleCode=Publisher&q=ada",
  "Publishers who never begin": "roleCode=Publisher&q=grace",
  "Disabled Developers who begin": "status=Disabled&roleCode=Developer&q=al",
  "address, role and beginning": "email=ada.13556.10@people.example&roleCode=Viewer&q=ada",
};

/** Measures lists over REST in a tenant with a million users: each list's first, second and a later page. */
export async function userLists(stage: Stage): Promise<Figures> {
  const { platform } = stage;
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "million", "Million");
  await seedUsers(stage, decodeId("ten", tenantId));
  const client = await createTenantClient(platform, admin, tenantId, { name: "bench", scopes: ["user.read"] });
  const token = await accessToken(platform, client);
  const list = async (query: string) =>
    (await call<Page>("GET", `${platform.publicUrl}/v1/users?${query}`, { token })).body;
  const values: Record<string, number> = {};
  const missedGoals: string[] = [];
  for (const [name, query] of Object.entries(searches)) {
    const pages = [query];
    for (
      let page = await list(query);
      page.nextCursor !== null && pages.length < 5;
      page = await list(pages.at(-1) ?? "")
    )
      pages.push(`${query}&cursor=${page.nextCursor}`);
    const takenMs: number[] = [];
    let items = 0;
    for (let place = 0; place < warmUps + requestsEach; place += 1) {
      const startedAt = performance.now();
      items = (await list(pages[place % pages.length] ?? query)).items.length;
      if (place >= warmUps) takenMs.push(performance.now() - startedAt);
    }
    values[`${name}: items of the last page asked`] = items;
    values[`${name}: p50 ms`] = percentile(takenMs, 0.5);
    values[`${name}: p95 ms`] = percentile(takenMs, 0.95);
    // the goal applies only to pages with the default size
    if (percentile(takenMs, 0.95) > goalMs && !query.includes("limit=")) missedGoals.push(name);
  }
  const verdict = missedGoals.length === 0 ? "met" : `MISSED by ${missedGoals.join(", ")}`;
  return {
    title: `Lists of users over REST, ${userCount} users in one tenant`,
    values,
    verdict: `goal: p95 at most ${goalMs} ms for pages of 50; result: ${verdict}`,
  };
}
