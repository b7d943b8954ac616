import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";
import pg from "pg";
import { aPendingApproval } from "../kit/agents.js";
import { anEntry } from "../kit/configuration.js";
import { aConnection } from "../kit/connections.js";
import { databaseUrl, rows } from "../kit/database.js";
import { aScanId } from "../kit/dependency-scans.js";
import { aFlag } from "../kit/feature-flags.js";
import { aLibrary } from "../kit/libraries.js";
import { aNotification } from "../kit/notifications.js";
import { aProvider } from "../kit/providers.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { aReportRunId } from "../kit/reports.js";
import { graphql, request } from "../kit/request.js";
import { aClientId, aRole } from "../kit/roles.js";
import { committedGraph, servedRoutes } from "../kit/routes.js";
import { aDelivery } from "../kit/runs.js";
import { type TenantObjects, tenantObjects } from "../kit/tenant-objects.js";
import { aTenant, platformToken } from "../kit/tenants.js";
import { anInvitation, aUser } from "../kit/users.js";

const fields = Object.values(committedGraph().getQueryType()?.getFields() ?? {});
const lists = fields.flatMap(({ name, args }) => {
  const sort = args.find((argument) => argument.name === "sort");
  const parent = args.find((argument) => argument.type.toString() === "ID!")?.name as keyof TenantObjects | undefined;
  const sortNames = sort?.description?.match(/^The order of the list: (.*?)\. Put /)?.[1]?.split(", ") ?? [];
  return sort ? [{ name, parent, sorts: sortNames.flatMap((each) => [each, `-${each}`]) }] : [];
});

let tenantId: string;
let token: string;
let administrator: string;
let objects: TenantObjects;

beforeAll(async () => {
  const tenant = await aTenant();
  tenantId = tenant.tenantId;
  token = await tenant.tokenWith();
  administrator = await platformToken();
  objects = await tenantObjects(tenant);
  for (const name of ["b", "a"]) {
    await aLibrary(token, { packageName: `Sorted.${name}` });
    await aFlag(token, name);
    await aFlag(token, objects.key, { description: name });
    await anEntry(token, objects.key, name);
    await aNotification(token, objects.userId);
    const providerId = await aProvider(token, { key: name, displayName: `Sorted ${name}` });
    await aConnection(token, providerId, { displayName: `Sorted ${name}` });
    await aDelivery(tenant.tenantId, { providerId, status: "Processed" });
    await request("POST /v1/templates", { token, body: { name: `sorted-${name}` } });
    const webhook = { eventType: "RoleCreated", endpointUrl: "http://127.0.0.1:9/hooks", signingSecretRef: "sorted" };
    await request("POST /webhooks/subscriptions", { token, body: { ...webhook, active: false } });
    const principalId = await aClientId(token);
    await request(`POST /v1/roles/${objects.roleId}/assignments`, { token, body: { principalId } });
    const body = { templateVersionId: objects.templateVersionId, checks: ["ParameterSchema"] };
    await request(`POST /v1/templates/${objects.templateId}/validate`, { token, body });
    await aScanId(token, objects.templateVersionId);
    await aReportRunId(token);
    await Promise.all([anInvitation(token), aUser(token), aRole(token), aPendingApproval(tenant.tenantId)]);
  }
});

/** Lists with at most one row in this test. */
const short = ["connectionTools", "executions", "planSubscriptions", "webhookMessageAttempts"];
const ignoresCase = ["templates", "libraries", "users", "invitations"];

type List = (typeof lists)[number];

interface Page {
  items: Record<string, string>[];
  nextCursor: string | null;
  pageInfo: { hasPreviousPage: boolean; startCursor: string | null };
}

function ask({ name, parent, sorts }: List, args: Record<string, unknown>) {
  const argumentValues = { ...(parent === undefined ? {} : { [parent]: objects[parent] }), ...args };
  const argumentTexts = Object.entries(argumentValues).map(
    ([argument, value]) => `${argument}: ${JSON.stringify(value)}`,
  );
  const sort = String(args["sort"]);
  const member = sorts.includes(sort) ? sort.replace("-", "") : "__typename";
  return graphql<Record<string, Page>>(
    `{ ${name}(${argumentTexts.join(", ")}) {
    items { ${member} } nextCursor pageInfo { hasPreviousPage startCursor } } }`,
    {
      token: name === "tenants" ? administrator : token,
    },
  );
}

async function page(list: List, args: Record<string, unknown>): Promise<Page> {
  const { body } = await ask(list, args);
  expect([list.name, args, body.errors]).toEqual([list.name, args, undefined]);
  return body.data[list.name] as Page;
}

/** All rows' values. The list is read in pages with two rows each. */
async function walked(list: List, sort: string): Promise<string[]> {
  const texts: string[] = [];
  for (let after: string | null = null, pages = 0; pages < 200; pages += 1) {
    const { items, nextCursor }: Page = await page(list, {
      first: pages === 0 ? 2 : 50,
      sort,
      ...(after && { after }),
    });
    texts.push(...items.map((item) => String(item[sort.replace("-", "")])));
    if (nextCursor === null) return texts;
    after = nextCursor;
  }
  throw new Error(`${list.name} has no last page`);
}

/** All rows' values. The list is read from its end in pages of 50 rows after one of two. */
async function walkedBack(list: List, sort: string): Promise<string[]> {
  const texts: string[] = [];
  for (let before: string | null = null, pages = 0; pages < 200; pages += 1) {
    const { items, pageInfo }: Page = await page(list, { last: pages === 0 ? 2 : 50, sort, ...(before && { before }) });
    texts.unshift(...items.map((item) => String(item[sort.replace("-", "")])));
    if (!pageInfo.hasPreviousPage) return texts;
    before = pageInfo.startCursor;
  }
  throw new Error(`${list.name} has no first page`);
}

describe("sort", () => {
  it("is an argument of every list", () => {
    const connections = fields.filter(({ type }) => /\wConnection$/.test(String(type)));
    const without = connections.filter(({ args }) => !args.some(({ name }) => name === "sort"));
    // jobs have their queue's order; webhook logs are in time order; entitlements follow the keys in the edition, and
    // event types and presets their names
    const ofIntegration = ["eventTypes", "integrationJobs", "vendorPresets", "webhookAttempts", "webhookMessages"];
    const names = without.map(({ name }) => name);
    expect(names).toEqual(["catalogJobs", ...ofIntegration, "entitlements", "jobs", "spineJobs"]);
  });

  it.each(lists)("lists $name in every order, ascending and descending", async (list) => {
    expect(list.sorts.length).toBeGreaterThan(1);
    for (const sort of list.sorts) {
      const pageValues = await walked(list, sort);
      const valuesFromEnd = await walkedBack(list, sort);
      // other suites register tenants meanwhile
      const same =
        list.name === "tenants" ? valuesFromEnd.filter((value) => pageValues.includes(value)) : valuesFromEnd;
      expect([sort, same]).toEqual([sort, pageValues]);
      const values = ignoresCase.includes(list.name) ? pageValues.map((value) => value.toLowerCase()) : pageValues;
      const ascending = [...values].sort((value, other) => (value < other ? -1 : value > other ? 1 : 0));
      expect([sort, values]).toEqual([sort, sort.startsWith("-") ? ascending.reverse() : ascending]);
      if (!short.includes(list.name)) expect(values.length).toBeGreaterThan(1);
    }
  });

  it.each(lists)("refuses an unknown order of $name and a cursor of another order", async (list) => {
    const { body } = await ask(list, { sort: "fame" });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [{ pointer: "/sort", code: "UNKNOWN_VALUE", detail: `Must be one of ${list.sorts.join(", ")}.` }],
    });
    const [up = "", down = ""] = list.sorts;
    const { nextCursor } = await page(list, { first: 1, sort: up });
    if (short.includes(list.name)) return;
    const { body: crossedBody } = await ask(list, { sort: down, after: nextCursor });
    expect(crossedBody.errors?.[0]?.extensions.code).toBe("INVALID_CURSOR");
  });
});

const restLists = servedRoutes.filter(({ run }) => lists.some(({ name }) => name === run));

describe.each(restLists.map((route) => ({ at: route.at as string, route })))("$at", ({ at, route }) => {
  const get = (query: string) =>
    request<Page>(at.replace(/\{(\w+)\}/, (_, name: keyof TenantObjects) => objects[name]) + query, {
      token: route.platformAdmin ? administrator : token,
    });

  it("refuses an unknown sort and unknown parameters, and keeps the sort in the link", async () => {
    const answer = await get("?sort=fame");
    expect([refusal(answer), refusedFields(answer)]).toEqual(["400 VALIDATION_FAILED", ["/sort UNKNOWN_VALUE"]]);
    const unknown = await get("?sorts=fame&limit=1");
    expect([refusal(unknown), refusedFields(unknown)]).toEqual(["400 VALIDATION_FAILED", ["/sorts UNKNOWN_VALUE"]]);
    expect(JSON.stringify(unknown.body)).toContain("Did you mean sort?");
    const sorts = lists.find(({ name }) => name === route.run)?.sorts ?? [];
    expect(JSON.stringify(answer.body)).toContain(`Must be one of ${sorts.join(", ")}.`);
    if (short.includes(route.run)) return;
    const [sort = ""] = sorts;
    const first = await get(`?sort=-${sort}&limit=1`);
    expect([first.status, first.body.items.length]).toEqual([200, 1]);
    const [, next = ""] = first.headers.get("link")?.match(/(\?[^>]*)>; rel="next"/) ?? [];
    expect(new URLSearchParams(next).get("sort")).toBe(`-${sort}`);
    expect((await get(next)).status).toBe(200);
    expect(refusal(await get(next.replace("sort=-", "sort=")))).toBe("400 INVALID_CURSOR");
  });
});

interface Plan {
  "Node Type": string;
  "Parent Relationship"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
}

/** A plan's nodes, without the lookups for each row that is shown. */
const nodes = (plan: Plan): Plan[] => [
  plan,
  ...(plan.Plans ?? []).filter((child) => child["Parent Relationship"] !== "SubPlan").flatMap(nodes),
];

const subgraphs = fileURLToPath(new URL("../../subgraphs/", import.meta.url));
const sources = trackedFilesIn(subgraphs).filter(
  (file) =>
    /^(catalog|integration|spine)\/src\/.*\.service\.ts$/.test(file) &&
    readFileSync(subgraphs + file, "utf8").includes("new SortedList"),
);

describe("the statements of sorted lists", () => {
  let client: pg.Client;

  it("are found in the services of all subgraphs", () => {
    expect(sources.length).toBeGreaterThan(25);
    expect(new Set(sources.map((file) => file.split("/")[0])).size).toBe(3);
  });

  beforeAll(async () => {
    client = new pg.Client({ connectionString: await databaseUrl() });
    await client.connect();
  });

  afterAll(() => client.end());

  /** A statement's generic plan for the role that serves requests, so that it does not depend on a parameter value. */
  async function planOf(schema: string, text: string): Promise<Plan> {
    const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    await client.query("begin");
    try {
      await client.query(`set local role postgres_${schema}_app; set local search_path = ${schema}`);
      await client.query("set local plan_cache_mode = force_generic_plan; set local enable_sort = off");
      await client.query("set local enable_incremental_sort = off; set local enable_seqscan = off");
      await client.query("set local enable_bitmapscan = off");
      await client.query(`prepare listed as ${text}`);
      const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
        `explain (format json) execute listed(${Array.from({ length: count }, () => "null").join(", ")})`,
      );
      return rows[0]?.["QUERY PLAN"][0].Plan as Plan;
    } finally {
      await client.query("rollback");
      await client.query("deallocate all");
    }
  }

  it.each(sources)("of %s use an index and do not sort", async (file) => {
    const moduleExports: object = await import(subgraphs + file);
    const sortedLists = Object.values(moduleExports).filter((value) => value instanceof SortedList);
    expect(sortedLists.length).toBeGreaterThan(0);
    const statements = sortedLists.flatMap(
      (list) => (list as SortedList<unknown, string | { text: string }>).statements,
    );
    for (const statement of statements) {
      const text = typeof statement === "string" ? statement : statement.text;
      // users have separate statements in id order
      if (text === undefined) continue;
      const plan = await planOf(file.split("/")[0] ?? "", text);
      const cuts = nodes(plan).filter((node) => node["Node Type"] === "Limit");
      const nodesRead = cuts.flatMap(nodes);
      const work = nodesRead.map((node) => node["Node Type"]).filter((type) => /Sort|Seq Scan/.test(type));
      expect([text, cuts.length > 0, work]).toEqual([text, true, []]);
      const place = text.match(/and \((\w+)[^)]*\) [<>] \(/)?.[1] ?? "tenant_id";
      const conditions = nodesRead.map((node) => node["Index Cond"] ?? "").join(" ");
      if (schemaWide(text)) continue;
      expect([text, conditions]).toEqual([text, expect.stringContaining(place)]);
    }
  });
});

/** A table's column by which a list is sorted in time order. */
interface TimeColumn {
  readonly table: string;
  readonly column: string;
}

/** The audit log's records are sealed, so this test does not change them. Their times have whole milliseconds. */
const sealedColumn = "spine.audit_records recorded_at";
/** Only the process that sends webhooks writes these, and its times have whole milliseconds. */
const ofProcess = "integration.webhook_attempts started_at";

/** The columns for all lists in time order, as their statements name them. */
async function timeColumns(): Promise<TimeColumn[]> {
  const files = trackedFilesIn(subgraphs).filter(
    (file) =>
      /^(catalog|integration|spine)\/src\/.*(?<!\.test)\.ts$/.test(file) &&
      readFileSync(subgraphs + file, "utf8").includes("new SortedList"),
  );
  const columns = new Map<string, TimeColumn>();
  for (const file of files) {
    const values = Object.values((await import(subgraphs + file)) as object);
    const sortedLists = values.flatMap((value) =>
      value instanceof SortedList ? [value] : Object.values(Object(value)),
    );
    for (const list of sortedLists.filter((value) => value instanceof SortedList))
      for (const statement of (list as SortedList<unknown, string | { text: string }>).statements) {
        const text = typeof statement === "string" ? statement : (statement.text ?? "");
        const column = text.match(/and \((\w+), \w+\) [<>] \(\$\d+::timestamptz/)?.[1];
        const table = `${file.split("/")[0]}.${(text.match(/\bfrom (\w+)(?: \w+)?\s+where tenant_id = scope/) ?? text.match(/\bfrom (\w+)/))?.[1]}`;
        if (column) columns.set(`${table} ${column}`, { table, column });
      }
  }
  return [...columns.values()];
}

describe("rows of the same millisecond", () => {
  const cursorsOf = async ({ name, parent }: List, args: Record<string, unknown>) => {
    const argumentValues = { ...(parent === undefined ? {} : { [parent]: objects[parent] }), ...args };
    const argumentTexts = Object.entries(argumentValues).map(
      ([argument, value]) => `${argument}: ${JSON.stringify(value)}`,
    );
    const query = `{ ${name}(${argumentTexts.join(", ")}) { edges { cursor } pageInfo { hasNextPage } } }`;
    const { body } = await graphql<Record<string, { edges: { cursor: string }[]; pageInfo: { hasNextPage: boolean } }>>(
      query,
      { token: name === "tenants" ? administrator : token },
    );
    const list = body.data[name];
    return { cursors: list?.edges.map(({ cursor }) => cursor) ?? [], hasNextPage: list?.pageInfo.hasNextPage };
  };

  beforeAll(async () => {
    const columns = await timeColumns();
    expect(columns.map(({ table, column }) => `${table} ${column}`).sort()).toEqual([
      "catalog.libraries created_at",
      "catalog.templates created_at",
      "integration.connections established_at",
      "integration.credentials created_at",
      "integration.providers registered_at",
      ofProcess,
      "integration.webhook_deliveries received_at",
      "integration.webhook_subscriptions created_at",
      "spine.api_clients created_at",
      "spine.approvals requested_at",
      sealedColumn,
      "spine.configuration_entries updated_at",
      "spine.feature_flags updated_at",
      "spine.invitations created_at",
      "spine.invitations expires_at",
      "spine.plan_subscriptions created_at",
      "spine.report_definitions created_at",
      "spine.role_assignments assigned_at",
      "spine.roles created_at",
      "spine.tenants created_at",
    ]);
    const tenants = [tenantId, (await aTenant()).tenantId, (await aTenant()).tenantId];
    for (const { table, column } of columns) {
      const place = `${table} ${column}`;
      if (place === sealedColumn) continue;
      const step = place === ofProcess ? "0" : "100 microseconds";
      await rows(
        `update ${table} set ${column} = timestamptz '2020-02-02 02:02:02.222' + numbered.number * interval '${step}'
         from (select ctid as place, row_number() over () as number from ${table} where tenant_id = any($1)) numbered
         where ctid = place`,
        [tenants.map((tenant) => decodeId("ten", tenant))],
      );
    }
  });

  it.each(lists)("are shown once each by $name, in every order", async (list) => {
    for (const sort of list.sorts) {
      // this list has all suites' tenants; this test's tenants are the oldest
      if (list.name === "tenants" && sort !== "createdAt") continue;
      const all = await cursorsOf(list, { sort, first: list.name === "tenants" ? 3 : 200 });
      const single: string[] = [];
      for (let after: string | undefined; single.length < all.cursors.length; [after] = single.slice(-1)) {
        const { cursors } = await cursorsOf(list, { sort, first: 1, ...(after && { after }) });
        single.push(...cursors);
        if (cursors.length === 0) break;
      }
      expect([sort, single]).toEqual([sort, all.cursors]);
    }
  });

  it("have whole milliseconds where the process alone writes them", async () => {
    for (const place of [sealedColumn, ofProcess]) {
      const [table, column] = place.split(" ");
      const finer = `select from ${table} where date_trunc('milliseconds', ${column}) <> ${column} and ${column} > '2021-01-01'`;
      expect([place, await rows(finer)]).toEqual([place, []]);
    }
  });
});

/** Tenants are listed across tenants, so their first page has no condition. */
const schemaWide = (text: string) => !text.includes("scope.tenant") && !/and \(\w+/.test(text);
