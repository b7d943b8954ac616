import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { type Answer, type Json, platformAdmin, principal, RunningSpine } from "../../running-spine.fixture.js";

let platform: RunningSpine;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("configured");
});
afterAll(() => platform?.stop());

const members = "key value isSecret readOnly description version createdAt updatedAt updatedBy";
const caller = (of = tenantId) => principal(of, ["config.read", "config.manage"]);

interface Change {
  ifMatch?: string;
  ifNoneMatch?: string;
  idempotencyKey?: string;
  of?: string;
}

const set = (key: string, input: object, { ifMatch, ifNoneMatch, idempotencyKey, of }: Change = {}): Promise<Answer> =>
  platform.ask(
    caller(of),
    `mutation ($key: ID!, $input: SetConfigurationInput!, $ifMatch: String, $ifNoneMatch: String) {
      entry: setConfigEntry(key: $key, input: $input, ifMatch: $ifMatch, ifNoneMatch: $ifNoneMatch) { ${members} created } }`,
    { key, input, ifMatch, ifNoneMatch },
    idempotencyKey,
  );

const remove = (key: string, ifMatch?: string): Promise<Answer> =>
  platform.ask(
    caller(),
    `mutation ($key: ID!, $ifMatch: String) { entry: deleteConfigEntry(key: $key, ifMatch: $ifMatch) { ${members} } }`,
    { key, ifMatch },
  );

const restore = (key: string, version: number): Promise<Answer> =>
  platform.ask(
    caller(),
    `mutation ($key: ID!, $version: Int!) { entry: restoreConfigEntry(key: $key, version: $version) { ${members} created } }`,
    { key, version },
  );

const readEntry = (key: string, of = tenantId): Promise<Answer> =>
  platform.ask(caller(of), `query ($key: ID!) { entry: configEntry(key: $key) { ${members} } }`, { key });

async function history(key: string, of = tenantId): Promise<Json[]> {
  const query = `query ($key: ID!) { configEntryHistory(key: $key) { items { version change value isSecret changedBy } } }`;
  return (await platform.ask(caller(of), query, { key })).data?.["configEntryHistory"].items;
}

const entryOf = ({ data, errors }: Answer) => data?.["entry"] ?? errors;
const changesOf = async (key: string) =>
  (await platform.eventsOf(tenantId))
    .filter(({ type, data }) => type === "ConfigurationUpdated" && data["key"] === key)
    .map(({ data }) => data);

describe("a configuration entry", () => {
  it("is told with its value up to 8 KiB, and without it above", async () => {
    await set("told.small", { value: "x".repeat(8190) });
    await set("told.large", { value: "x".repeat(8191) });
    expect(await changesOf("told.small")).toMatchObject([{ value: "x".repeat(8190) }]);
    const [large] = await changesOf("told.large");
    expect(large).toMatchObject({ key: "told.large", version: 1, change: "Set" });
    expect(large).not.toHaveProperty("value");
  });

  it("is created, replaced, deleted and restored, with a version and an event for each change", async () => {
    const value = { limits: [1, 2.5, null], nested: { ä: "✓" } };
    expect(entryOf(await set("billing.plan", { value, description: "For billing." }))).toEqual({
      ...{ key: "billing.plan", value, isSecret: false, readOnly: false, description: "For billing.", version: 1 },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String), updatedBy: "cli_test", created: true },
    });
    expect(entryOf(await set("billing.plan", { value: null }))).toMatchObject({
      value: null,
      version: 2,
      created: false,
    });
    expect(entryOf(await readEntry("billing.plan"))).toMatchObject({ value: null, description: null, version: 2 });
    expect(entryOf(await remove("billing.plan"))).toMatchObject({ value: null, version: 2 });
    expect((await readEntry("billing.plan")).refusal).toMatchObject({ code: "NOT_FOUND" });
    expect((await remove("billing.plan")).refusal).toMatchObject({ code: "NOT_FOUND" });
    expect(entryOf(await restore("billing.plan", 1))).toMatchObject({ value, version: 4, created: true });
    expect(
      (await history("billing.plan")).map(({ version, change, value: keptValue }) => [version, change, keptValue]),
    ).toEqual([
      [4, "Restored", value],
      [3, "Deleted", null],
      [2, "Set", null],
      [1, "Set", value],
    ]);
    const facts = { tenantId, key: "billing.plan", isSecret: false };
    expect(await changesOf("billing.plan")).toEqual([
      { ...facts, version: 1, change: "Set", value },
      { ...facts, version: 2, change: "Set", value: null },
      { ...facts, version: 3, change: "Deleted" },
      { ...facts, version: 4, change: "Restored", value },
    ]);
  });

  it("does not change when the same value comes again", async () => {
    await set("same", { value: { a: 1, b: [2] } });
    expect(entryOf(await set("same", { value: { b: [2], a: 1 } }))).toMatchObject({ version: 1, created: false });
    expect(entryOf(await restore("same", 1))).toMatchObject({ version: 1 });
    expect(await changesOf("same")).toHaveLength(1);
  });

  it("changes only as its preconditions allow", async () => {
    const failedPrecondition = { code: "PRECONDITION_FAILED" };
    expect((await set("guarded", { value: 1 }, { ifMatch: '"1"' })).refusal).toMatchObject(failedPrecondition);
    expect(entryOf(await set("guarded", { value: 1 }, { ifNoneMatch: "*" }))).toMatchObject({ created: true });
    expect((await set("guarded", { value: 2 }, { ifNoneMatch: "*" })).refusal).toMatchObject(failedPrecondition);
    expect((await set("guarded", { value: 1 }, { ifMatch: '"9"' })).refusal).toMatchObject(failedPrecondition);
    const race = await Promise.all(
      Array.from({ length: 50 }, (_, place) => set("guarded", { value: `racer ${place}` }, { ifMatch: '"1"' })),
    );
    const won = race.filter(({ data }) => data?.["entry"].version === 2);
    expect([won.length, race.filter(({ refusal }) => refusal?.["code"] === "PRECONDITION_FAILED").length]).toEqual([
      1, 49,
    ]);
    expect((await remove("guarded", '"1"')).refusal).toMatchObject(failedPrecondition);
    expect(entryOf(await remove("guarded", '"2"'))).toMatchObject({ version: 2 });
  });

  it("belongs to its tenant", async () => {
    const other = await platform.activeTenant("other-configured");
    await set("private", { value: "ours" });
    expect((await readEntry("private", other)).refusal).toMatchObject({ code: "NOT_FOUND" });
    expect(await history("private", other)).toEqual([]);
    expect(entryOf(await set("private", { value: "theirs" }, { of: other }))).toMatchObject({
      version: 1,
      created: true,
    });
    expect(entryOf(await readEntry("private"))).toMatchObject({ value: "ours" });
  });

  it("keeps its last 20 versions, and a tenant has at most 1,000 entries", async () => {
    const crowdedTenant = await platform.activeTenant("crowded");
    for (let value = 0; value < 25; value += 1) await set("often", { value }, { of: crowdedTenant });
    const keptVersions = (await history("often", crowdedTenant)).map(({ version }) => version);
    expect([keptVersions.length, keptVersions[0], keptVersions.at(-1)]).toEqual([20, 25, 6]);
    await platform.admin.query(
      `insert into configuration_entries (tenant_id, key, value, is_secret, version, created_at, updated_at, updated_by)
       select entry.tenant_id, 'filler' || place, 'true', false, 1, now(), now(), 'test'
       from configuration_entries entry, generate_series(1, 999) place where entry.key = 'often'`,
    );
    expect((await set("one-more", { value: 1 }, { of: crowdedTenant })).refusal).toMatchObject({
      code: "CONFLICT",
      limit: 1000,
    });
    expect(entryOf(await set("often", { value: "again" }, { of: crowdedTenant }))).toMatchObject({ version: 26 });
  });

  it("keeps at most 32 MiB of history in a tenant, the newest versions of all entries", async () => {
    const large = await platform.activeTenant("large");
    await set("first", { value: 1 }, { of: large });
    await platform.admin.query(
      `insert into configuration_versions (tenant_id, key, version, change, value, is_secret, bytes, changed_at, changed_by)
       select tenant_id, 'big', place, 'Set', 'true', false, 16777217, now() + place * interval '1 second', 'test'
       from configuration_entries entry, generate_series(1, 3) place where entry.key = 'first' and entry.updated_by = 'cli_test'
         and tenant_id = (select tenant_id from tenants where slug = 'large')`,
    );
    await set("second", { value: 2 }, { of: large });
    expect((await history("big", large)).map(({ version }) => version)).toEqual([3]);
    expect(entryOf(await readEntry("first", large))).toMatchObject({ value: 1 });
  });
});

describe("a value", () => {
  it("is refused when it is missing, too large, or holds an infinite number", async () => {
    const refusalOf = async (input: object) => (await set("bounds", input)).refusal?.["errors"]?.[0];
    expect(await refusalOf({})).toMatchObject({ pointer: "/input/value", code: "REQUIRED" });
    expect(await refusalOf({ value: "x".repeat(65_535) })).toMatchObject({ pointer: "/input/value", code: "TOO_LONG" });
    expect(await refusalOf({ value: JSON.parse("[1e400]") })).toMatchObject({ code: "OUT_OF_RANGE" });
    expect(await refusalOf({ value: ["\0"] })).toMatchObject({ pointer: "/input/value/0", code: "FORMAT" });
    expect(entryOf(await set("bounds", { value: "x".repeat(65_534) }))).toMatchObject({ version: 1 });
  });

  it("may have members of any name", async () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"":2}');
    await set("names", { value });
    expect(JSON.stringify(entryOf(await readEntry("names")).value)).toContain('"__proto__":{"polluted":true}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("of a known setting has to fit its schema", async () => {
    for (const [key, value, pointer] of [
      ["execution.requirePublished", "yes", "/input/value"],
      ["signIn.passwordMinLength", 7, "/input/value"],
      ["signIn.allowedEmailDomains", ["acme.example", "Acme"], "/input/value/1"],
      ["signIn.allowedEmailDomains", ["a_b.example"], "/input/value/0"],
      ["signIn.allowedEmailDomains", ["a.example", "A.example"], "/input/value"],
      ["governance.publish.requiresApproval", ["Robot"], "/input/value/0"],
      ["scaffold.repositoryBase", "javascript:alert(1)", "/input/value"],
      ["scaffold.repositoryBase", "https://user:password@git.example/acme", "/input/value"],
      ["scaffold.repositoryBase", "ssh://git:password@git.example/acme", "/input/value"],
      ["scaffold.repositoryBase", "ssh://git@git.example/acme", "/input/value"],
      ["scaffold.repositoryBase", "file:///srv/repositories", "/input/value"],
    ] as const)
      expect((await set(key, { value })).refusal).toMatchObject({
        code: "CONFIGURATION_INVALID",
        errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
      });
    expect(entryOf(await set("scaffold.repositoryBase", { value: "https://git.example/acme" }))).toMatchObject({
      version: 1,
    });
    expect((await set("signIn.sessionHours", { value: 8, isSecret: true })).refusal).toMatchObject({
      code: "CONFIGURATION_INVALID",
    });
  });

  it("is refused under a malformed key", async () => {
    for (const key of ["", "-a", "a b", "ä", "__proto__", "x".repeat(129)]) {
      expect((await set(key, { value: 1 })).refusal).toMatchObject({ code: "VALIDATION_FAILED" });
      expect((await readEntry(key)).refusal).toMatchObject({ code: "NOT_FOUND" });
    }
    for (const key of ["constructor", "toString", "x".repeat(128)])
      expect(entryOf(await set(key, { value: 1 }))).toMatchObject({ version: 1 });
  });
});

describe("a secret entry", () => {
  const secret = "correct-horse-battery-4711";

  it("shows its value nowhere", async () => {
    expect(
      entryOf(await set("vendor.token", { value: secret, isSecret: true }, { idempotencyKey: "once" })),
    ).toMatchObject({
      value: "********",
      isSecret: true,
    });
    const repeatedAnswer = await set("vendor.token", { value: secret, isSecret: true }, { idempotencyKey: "once" });
    expect([repeatedAnswer.replayed, entryOf(repeatedAnswer).version]).toEqual([true, 1]);
    const other = await set("vendor.token", { value: "another", isSecret: true }, { idempotencyKey: "once" });
    expect(other.refusal).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    expect(entryOf(await readEntry("vendor.token"))).toMatchObject({ value: "********" });
    expect(await history("vendor.token")).toMatchObject([{ value: "********", isSecret: true }]);
    expect(await changesOf("vendor.token")).toEqual([
      { tenantId, key: "vendor.token", version: 1, change: "Set", isSecret: true },
    ]);
    const { rows } = await platform.admin.query<{ table_name: string }>(
      "select table_name from information_schema.tables where table_schema = 'spine'",
    );
    for (const { table_name: table } of rows) {
      const foundRows = await platform.admin.query(`select 1 from spine."${table}" stored where stored::text like $1`, [
        `%${secret}%`,
      ]);
      expect([table, foundRows.rowCount]).toEqual([table, 0]);
    }
  });

  it("stays secret, and becomes readable only with a new value", async () => {
    await set("kept", { value: secret, isSecret: true });
    expect((await set("kept", { isSecret: false })).refusal).toMatchObject({ code: "VALIDATION_FAILED" });
    expect((await set("kept", { value: "********" })).refusal).toMatchObject({ code: "CONFIGURATION_INVALID" });
    expect(entryOf(await set("kept", { value: "second" }))).toMatchObject({
      value: "********",
      isSecret: true,
      version: 2,
    });
    expect(entryOf(await set("kept", { value: "shown", isSecret: false }))).toMatchObject({
      value: "shown",
      version: 3,
    });
    expect(entryOf(await restore("kept", 1))).toMatchObject({ value: "********", isSecret: true, version: 4 });
  });

  it("does not tell whether a guess was right", async () => {
    await set("guessed", { value: "1234", isSecret: true });
    const [right, wrong] = [await set("guessed", { value: "1234" }), await set("guessed", { value: "4321" })];
    expect([entryOf(right).version, entryOf(wrong).version]).toEqual([2, 3]);
  });
});

describe("the need for a second factor", () => {
  it("is changed by no agent, and asked to end only by a person with a recent sign-in of two factors", async () => {
    const strictTenant = await platform.activeTenant("strict");
    const asPerson = (changes: Partial<Principal> = {}): Principal => ({
      ...caller(strictTenant),
      ...{ subject: newId("usr"), principalType: "User", firstParty: true, authTime: Math.floor(Date.now() / 1000) },
      acr: "urn:factory:acr:password",
      ...changes,
    });
    const require = (by: Principal, value: string) =>
      platform.ask(
        by,
        `mutation { setConfigEntry(key: "signIn.secondFactor", input: { value: "${value}" }) { value approvalId } }`,
      );
    const strong = asPerson({ acr: "urn:factory:acr:second-factor" });
    for (const agent of [
      { ...strong, actors: ["cli_agent"] },
      { ...strong, principalType: "Agent" as const },
    ])
      expect((await require(agent, "required")).refusal).toMatchObject({ code: "SELF_APPROVAL" });
    expect((await require(asPerson(), "required")).errors).toEqual([]);
    const refusals: [Principal, string][] = [
      [asPerson({ firstParty: false }), "FIRST_PARTY_CLIENT_REQUIRED"],
      [asPerson({ ...strong, authTime: 0 }), "AUTHENTICATION_TOO_OLD"],
      [asPerson(), "AUTHENTICATION_TOO_WEAK"],
    ];
    for (const [by, code] of refusals) expect((await require(by, "optional")).refusal).toMatchObject({ code });
    expect((await require(strong, "optional")).data?.["setConfigEntry"]).toEqual({
      value: "required",
      approvalId: expect.stringMatching(/^apr_/),
    });
  });
});

describe("limits of the platform", () => {
  it("are shown in the configuration and cannot be changed there", async () => {
    const platformSets = `mutation ($tenantId: ID!) { setTenantLimits(tenantId: $tenantId, input: { rateLimitFactor: 3 }) { slug } }`;
    await platform.ask(platformAdmin(), platformSets, { tenantId });
    expect(entryOf(await readEntry("limits.rateLimitFactor"))).toMatchObject({
      value: 3,
      readOnly: true,
      updatedBy: "platform",
    });
    expect(entryOf(await readEntry("limits.maxRunningExecutions"))).toMatchObject({ value: 5, readOnly: true });
    for (const key of ["limits.rateLimitFactor", "limits.new"])
      for (const answer of [await set(key, { value: 1000 }), await remove(key), await restore(key, 1)])
        expect(answer.refusal).toMatchObject({ code: "CONFIGURATION_READ_ONLY" });
  });
});

describe("the list of entries", () => {
  it("shows entries and limits in pages, filtered by the beginning of the key", async () => {
    const listedTenant = await platform.activeTenant("listed");
    for (const key of ["b.two", "a.one", "b.one", "m.percent%", "m_x"])
      await set(key, { value: key }, { of: listedTenant });
    const page = async (args: string) => {
      const { data, errors } = await platform.ask(
        caller(listedTenant),
        `{ configEntries(${args}) { items { key } nextCursor } }`,
      );
      if (!data) throw new Error(JSON.stringify(errors));
      return { keys: data["configEntries"].items.map(({ key }: Json) => key), next: data["configEntries"].nextCursor };
    };
    const first = await page("first: 3");
    const second = await page(`first: 10, after: "${first.next}"`);
    expect([...first.keys, ...second.keys]).toEqual([
      ...["a.one", "b.one", "b.two", "limits.maxRunningExecutions", "limits.rateLimitFactor", "m_x"],
    ]);
    expect((await page('filter: { prefix: "b." }')).keys).toEqual(["b.one", "b.two"]);
    expect((await page('filter: { prefix: "m%" }')).keys).toEqual([]);
    const byChange = await page('first: 2, sort: "-updatedAt"');
    expect(byChange.keys).toEqual(["m_x", "b.one"]);
    expect((await page(`first: 1, sort: "-updatedAt", after: "${byChange.next}"`)).keys).toEqual(["a.one"]);
  });
});

describe("knownSettings", () => {
  it("has schema, default and value of every setting and limit", async () => {
    const tenant = await platform.activeTenant("known");
    await set("signIn.passwordMinLength", { value: 14 }, { of: tenant });
    const { data } = await platform.ask(
      caller(tenant),
      "{ knownSettings { key schema default value setBy isSet description changedBy requiredScopes weakerValue } }",
    );
    const settings: Json[] = data?.["knownSettings"];
    expect(settings.find(({ key }) => key === "signIn.passwordMinLength")).toEqual({
      key: "signIn.passwordMinLength",
      schema: { type: "integer", minimum: 8, maximum: 128 },
      ...{ default: 8, value: 14, setBy: "Tenant", isSet: true, description: expect.any(String) },
      ...{ changedBy: ["User", "Service"], requiredScopes: [], weakerValue: "RecentSignIn" },
    });
    expect(settings.find(({ key }) => key === "execution.requirePublished")).toMatchObject({
      value: false,
      isSet: false,
    });
    expect(settings.find(({ key }) => key === "limits.rateLimitFactor")).toMatchObject({
      ...{ value: 1, setBy: "Platform", changedBy: [], weakerValue: "Free" },
    });
  });
});
