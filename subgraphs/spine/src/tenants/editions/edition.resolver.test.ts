import { Listener } from "@factory/runtime/connections/listener";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import pg from "pg";
import { type Answer, type Json, platformAdmin, principal, RunningSpine, until } from "../../running-spine.fixture.js";
import { EditionCatalog } from "./edition-catalog.js";
import { seedEditions } from "./seed-editions.js";

let platform: RunningSpine;
beforeAll(async () => {
  platform = await RunningSpine.start();
});
afterAll(() => platform?.stop());

const members = "code name description trialDays features active version";
const create = `mutation ($input: CreateEditionInput!) { edition: createEdition(input: $input) { ${members} } }`;
const update = `mutation ($code: String!, $input: UpdateEditionInput!) { edition: updateEdition(code: $code, input: $input) { ${members} } }`;
const revert = `mutation ($code: String!, $version: Int!) { edition: revertEdition(code: $code, version: $version) { ${members} } }`;
const retire = `mutation ($code: String!) { edition: retireEdition(code: $code) { ${members} } }`;
const readEdition = `query ($code: String!) { edition(code: $code) { ${members} history { version changedBy revertedFrom active } } }`;
const list =
  "query ($filter: EditionFilterInput, $sort: String) { editions(filter: $filter, sort: $sort) { items { code active } } }";

const ask = (document: string, variables: Record<string, unknown>, as = platformAdmin()): Promise<Answer> =>
  platform.ask(as, document, variables);
const editionOf = async (answer: Promise<Answer>): Promise<Json> => (await answer).data?.["edition"];
const users = (limit: number | null) => ({ "users.max": { kind: "limit", limit } });

const updates = async () =>
  (await platform.eventsOf(platformTenantId)).filter(({ type }) => type === "EditionUpdated").map(({ data }) => data);

describe("the editions of a new platform", () => {
  const reader = principal(newId("ten"), ["subscription.read"]);

  it("are Free, Standard and Enterprise, and readable by every tenant", async () => {
    const { data } = await ask(list, { sort: "-code" }, reader);
    expect(data?.["editions"].items.map(({ code }: Json) => code)).toEqual(["Standard", "Free", "Enterprise"]);
    const free = await ask(`{ edition(code: "Free") { ${members} } }`, {}, reader);
    expect(free.data?.["edition"]).toEqual({
      code: "Free",
      name: "Free",
      description: "To try the platform.",
      trialDays: 0,
      features: {
        "executions.monthly": { kind: "metered", limit: 100, period: "month", soft: false },
        "users.max": { kind: "limit", limit: 5 },
        "webhooks.max": { kind: "limit", limit: 3 },
      },
      active: true,
      version: 1,
    });
  });

  it("need a scope, and show their history to platform administrators only", async () => {
    const other = principal(newId("ten"), ["user.read"]);
    expect((await ask(list, {}, other)).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    const { data, refusal } = await ask(readEdition, { code: "Free" }, reader);
    expect([data?.["edition"].history, refusal?.["code"]]).toEqual([null, "INSUFFICIENT_SCOPE"]);
    const tricky = principal(newId("ten"), ["tenant.read", "tenant.manage"]);
    expect((await ask(readEdition, { code: "Free" }, tricky)).refusal).toMatchObject({
      code: "PLATFORM_ADMIN_REQUIRED",
    });
    for (const change of [retire, update, revert]) {
      const variables = { code: "Free", input: {}, version: 1 };
      expect((await ask(change, variables, tricky)).refusal).toMatchObject({ code: "PLATFORM_ADMIN_REQUIRED" });
    }
  });

  it("stay as an administrator changed them when the platform starts again", async () => {
    await ask(update, { code: "Free", input: { features: users(7) } });
    await seedEditions(platform.admin);
    const { rows } = await platform.admin.query("select features, version from editions where code = 'Free'");
    expect(rows).toEqual([{ features: users(7), version: 2 }]);
  });

  it("get no new version by a change or a revert that changes nothing", async () => {
    const input = { code: "Steady", name: "Steady", trialDays: 2, features: users(3) };
    await ask(create, { input });
    for (const sameValues of [{}, { features: null }, { name: "Steady", trialDays: 2 }, { features: users(3) }])
      expect(await editionOf(ask(update, { code: "Steady", input: sameValues }))).toMatchObject({ version: 1 });
    expect(await editionOf(ask(revert, { code: "Steady", version: 1 }))).toMatchObject({ version: 1 });
    expect((await updates()).filter(({ code }) => code === "Steady")).toHaveLength(1);
    expect(await editionOf(ask(update, { code: "Steady", input: { trialDays: 3 } }))).toMatchObject({ version: 2 });
  });

  it("cannot be written by the role that serves tenants", async () => {
    const statement = platform.asApp(newId("ten"), "update editions set trial_days = 300");
    expect((await statement).rowCount).toBe(0);
    await expect(
      platform.asApp(
        newId("ten"),
        "insert into editions select 'x', name, null, 0, '{}', true, 1, now(), now() from editions limit 1",
      ),
    ).rejects.toMatchObject({ code: "42501" });
    expect((await platform.asApp(newId("ten"), "select from edition_versions")).rowCount).toBe(0);
  });
});

describe("an edition", () => {
  it("is created once, changed, reverted and retired; each change is a version with an event", async () => {
    const input = { code: "Team", name: "Team", trialDays: 14, features: users(10) };
    expect(await editionOf(ask(create, { input }))).toEqual({ ...input, description: null, active: true, version: 1 });
    expect((await ask(create, { input })).refusal).toMatchObject({ code: "CONFLICT", status: 409 });
    const before = (await updates()).length;
    const changes = { name: "Teams", description: "Together", trialDays: 0, features: users(20) };
    expect(await editionOf(ask(update, { code: "Team", input: changes }))).toMatchObject({ ...changes, version: 2 });
    expect(await editionOf(ask(update, { code: "Team", input: { description: "" } }))).toMatchObject({
      ...changes,
      description: null,
      version: 3,
    });
    expect(await editionOf(ask(retire, { code: "Team" }))).toMatchObject({ active: false, version: 4 });
    expect(await editionOf(ask(retire, { code: "Team" }))).toMatchObject({ active: false, version: 4 });
    const revertedEdition = await editionOf(ask(revert, { code: "Team", version: 1 }));
    expect(revertedEdition).toEqual({ ...input, description: null, active: true, version: 5 });
    expect((await ask(revert, { code: "Team", version: 9 })).refusal).toMatchObject({ code: "NOT_FOUND" });
    const { history } = await editionOf(ask(readEdition, { code: "Team" }));
    const plain = { changedBy: "cli_test", revertedFrom: null, active: true };
    expect(history).toEqual([
      { ...plain, version: 5, revertedFrom: 1 },
      { ...plain, version: 4, active: false },
      { ...plain, version: 3 },
      { ...plain, version: 2 },
      { ...plain, version: 1 },
    ]);
    const events = (await updates()).slice(before);
    expect(events.map((data) => [data["version"], data["active"], data["features"], data["revertedFrom"]])).toEqual([
      [2, true, users(20), null],
      [3, true, users(20), null],
      [4, false, users(20), null],
      [5, true, users(10), 1],
    ]);
  });

  it("is refused with a pointer to each feature that is wrong", async () => {
    const features = { "users.max": { kind: "limit", limit: -1 }, sso: { kind: "boolean" } };
    const { refusal } = await ask(create, { input: { code: "Broken", name: "Broken", features } });
    expect(refusal).toMatchObject({
      code: "EDITION_FEATURES_INVALID",
      status: 422,
      errors: [
        { pointer: "/input/features/users.max/limit", code: "OUT_OF_RANGE" },
        { pointer: "/input/features/sso/enabled", code: "REQUIRED" },
      ],
    });
    const { refusal: again } = await ask(update, { code: "Free", input: { features } });
    expect(again).toMatchObject({ code: "EDITION_FEATURES_INVALID" });
  });

  it("is NOT_FOUND by an unknown code", async () => {
    for (const change of [retire, update, revert, readEdition])
      expect((await ask(change, { code: "Gold", input: {}, version: 1 })).refusal).toMatchObject({ code: "NOT_FOUND" });
  });

  it("is chosen by a new tenant only until it is retired", async () => {
    await ask(create, { input: { code: "Brief", name: "Brief", features: {} } });
    expect(await platform.registerTenant("brief", "Brief")).toMatchObject({ editionCode: "Brief" });
    await ask(retire, { code: "Brief" });
    await expect(platform.registerTenant("late", "Brief")).rejects.toThrow(/REFERENCE_NOT_FOUND/);
    const { data } = await ask(list, { filter: { active: false } });
    expect(data?.["editions"].items).toEqual([{ code: "Brief", active: false }]);
  });

  it("counts concurrent changes one after the other", async () => {
    await ask(create, { input: { code: "Busy", name: "Busy", features: {} } });
    const changes = Array.from({ length: 10 }, (_, at) => ask(update, { code: "Busy", input: { trialDays: at + 1 } }));
    const versions = await Promise.all(changes.map(async (change) => (await editionOf(change)).version));
    expect(versions.sort((first, other) => first - other)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});

describe("the editions in the memory of another process", () => {
  it("follow a change, also when the notification is lost", async () => {
    const { logger } = platform.host;
    const workers = new pg.Pool({ connectionString: platform.connections.worker, max: 1 });
    const [listener, deaf] = [new Listener(platform.connections.worker, logger), new Listener("", logger)];
    await listener.start();
    const catalogs = [new EditionCatalog(workers, listener, logger), new EditionCatalog(workers, deaf, logger)];
    try {
      for (const catalog of catalogs) await catalog.start();
      await ask(update, { code: "Standard", input: { features: users(201) } });
      const both = async () =>
        catalogs.every(
          (catalog) =>
            catalog.featuresOf("Standard")["users.max"] !== undefined &&
            JSON.stringify(catalog.featuresOf("Standard")) === JSON.stringify(users(201)),
        );
      await until(both);
      expect(catalogs[0]?.featuresOf("unknown")).toEqual({});
    } finally {
      for (const catalog of catalogs) await catalog.stop();
      await listener.close();
      await workers.end();
    }
  });
});
