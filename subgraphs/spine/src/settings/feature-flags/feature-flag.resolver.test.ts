import { randomBytes } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { type Answer, type Json, principal, RunningSpine } from "../../running-spine.fixture.js";

let platform: RunningSpine;
let tenantId: string;
let other: string;
beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("acme");
  other = await platform.activeTenant("other");
});
afterAll(() => platform?.stop());

const settings =
  "enabled rolloutPercentage description stickiness rules { attribute operator values inverted caseInsensitive }";
const documents = {
  featureFlags: `query ($first: Int, $after: String, $sort: String, $filter: FeatureFlagFilterInput) {
    featureFlags(first: $first, after: $after, sort: $sort, filter: $filter) { items { key } nextCursor } }`,
  featureFlag: `query ($key: ID!) { featureFlag(key: $key) { key ${settings} version createdAt updatedAt updatedBy } }`,
  featureFlagHistory: `query ($key: ID!, $first: Int, $after: String) {
    featureFlagHistory(key: $key, first: $first, after: $after) {
      items { key ${settings} version change changedAt changedBy } nextCursor } }`,
  setFeatureFlag: `mutation ($key: ID!, $input: SetFeatureFlagInput!, $ifMatch: String, $ifNoneMatch: String) {
    setFeatureFlag(key: $key, input: $input, ifMatch: $ifMatch, ifNoneMatch: $ifNoneMatch) {
      key ${settings} version createdAt updatedAt updatedBy created } }`,
  deleteFeatureFlag: `mutation ($key: ID!, $ifMatch: String) {
    deleteFeatureFlag(key: $key, ifMatch: $ifMatch) { key version } }`,
  restoreFeatureFlag: `mutation ($key: ID!, $version: Int!, $ifMatch: String) {
    restoreFeatureFlag(key: $key, version: $version, ifMatch: $ifMatch) { key ${settings} version created } }`,
};
type Field = keyof typeof documents;

const manager = (of = tenantId) => principal(of, tenantScopes);

const ask = (field: Field, variables: Record<string, unknown> = {}, who: Principal = manager()): Promise<Answer> =>
  platform.ask(who, documents[field], variables);

async function done(field: Field, variables: Record<string, unknown> = {}, who?: Principal): Promise<Json> {
  const { data, errors } = await ask(field, variables, who);
  if (!data) throw new Error(JSON.stringify(errors));
  return data[field];
}

const codeOf = async (field: Field, variables: Record<string, unknown> = {}, who?: Principal) =>
  (await ask(field, variables, who)).refusal?.["code"];

let keys = 0;
const aKey = () => `flag-${++keys}`;
const set = (key: string, input: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  done("setFeatureFlag", { key, input: { enabled: true, ...input }, ...more });

const eventsAbout = async (key: string) =>
  (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `feature-flags/${key}`);

async function stored(of = tenantId): Promise<Json> {
  const { rows } = await platform.admin.query("select * from feature_flag_sets where tenant_id = $1", [
    decodeId("ten", of),
  ]);
  return rows[0] ?? { version: 0, flag_count: 0, value_count: 0 };
}

const rule = { attribute: "country", operator: "IN", values: ["CH", "AT"] };

describe("Mutation.setFeatureFlag", () => {
  it("creates a flag with defaults, and replaces it as a whole", async () => {
    const key = aKey();
    expect(await set(key)).toMatchObject({
      ...{ key, enabled: true, rolloutPercentage: 100, description: null, stickiness: "targetingKey", rules: [] },
      ...{ version: 1, created: true, updatedBy: "cli_test" },
    });
    const settings = { rolloutPercentage: 25, description: "Half", stickiness: "tenant", rules: [rule] };
    expect(await set(key, settings)).toMatchObject({
      ...{ ...settings, version: 2, created: false },
      rules: [{ ...rule, inverted: false, caseInsensitive: false }],
    });
    expect(await set(key)).toMatchObject({ rolloutPercentage: 100, description: null, rules: [], version: 3 });
    expect(await done("featureFlag", { key })).toMatchObject({ version: 3, rules: [] });
  });

  it("changes nothing and records no event when nothing is different", async () => {
    const key = aKey();
    const first = await set(key, { rules: [rule] });
    const before = await stored();
    const again = await set(key, { rules: [{ ...rule, inverted: false }], rolloutPercentage: 100 });
    expect(again).toEqual({ ...first, created: false });
    expect([await stored(), (await eventsAbout(key)).length]).toEqual([before, 1]);
  });

  it("bounds the bytes of a history, so that long rules leave fewer versions", async () => {
    const key = aKey();
    const longRules = () => ({
      rules: [0, 1].map(() => ({
        attribute: "user",
        operator: "IN",
        values: Array.from({ length: 500 }, () => randomBytes(100).toString("hex")),
      })),
    });
    for (let version = 1; version <= 4; version += 1) await set(key, longRules());
    await set(key);
    const { items } = await done("featureFlagHistory", { key });
    expect(items.map(({ version }: Json) => version)).toEqual([5, 4]);
  });

  it("records who changed what, without the values of the rules", async () => {
    const key = aKey();
    await set(key, { rules: [rule], rolloutPercentage: 5 });
    const [event] = await eventsAbout(key);
    expect(event).toMatchObject({
      type: "FeatureFlagUpdated",
      data: { tenantId, key, change: "Created", version: 1, rolloutPercentage: 5, ruleCount: 1, updatedBy: "cli_test" },
    });
    expect(JSON.stringify(event)).not.toContain("CH");
  });

  it("checks its preconditions", async () => {
    const key = aKey();
    const input = { enabled: false };
    expect(await codeOf("setFeatureFlag", { key, input, ifMatch: "*" })).toBe("PRECONDITION_FAILED");
    await set(key, {}, { ifNoneMatch: "*" });
    expect((await ask("setFeatureFlag", { key, input, ifNoneMatch: "*" })).refusal).toMatchObject({
      code: "PRECONDITION_FAILED",
      currentVersion: 1,
    });
    expect((await set(key, input, { ifMatch: '"9", "1"' })).version).toBe(2);
    expect(await codeOf("setFeatureFlag", { key, input: { enabled: true }, ifMatch: '"1"' })).toBe(
      "PRECONDITION_FAILED",
    );
    expect(await codeOf("setFeatureFlag", { key, input, ifMatch: "2" })).toBe("VALIDATION_FAILED");
  });

  it("lets one of several callers with the same precondition win", async () => {
    const key = aKey();
    await set(key);
    const tries = [1, 2, 3, 4, 5].map((rolloutPercentage) =>
      ask("setFeatureFlag", { key, input: { enabled: true, rolloutPercentage }, ifMatch: '"1"' }),
    );
    const codes = (await Promise.all(tries)).map(({ refusal }) => refusal?.["code"] ?? "done");
    expect(codes.toSorted((first, two) => first.localeCompare(two))).toEqual([
      "done",
      "PRECONDITION_FAILED",
      "PRECONDITION_FAILED",
      "PRECONDITION_FAILED",
      "PRECONDITION_FAILED",
    ]);
    const fresh = aKey();
    const creating = [1, 2, 3, 4, 5].map((rolloutPercentage) =>
      ask("setFeatureFlag", { key: fresh, input: { enabled: true, rolloutPercentage } }),
    );
    const createdFlags = (await Promise.all(creating)).map(({ data }) => data?.["setFeatureFlag"]);
    expect(createdFlags.map(({ version }) => version).toSorted((first, two) => first - two)).toEqual([1, 2, 3, 4, 5]);
    expect(createdFlags.filter((flag) => flag.created)).toHaveLength(1);
  });

  it.each(["", ".a", "-", "a b", "ä", "a/b", "x".repeat(101), "a\u0000"])("refuses the key %j", async (key) => {
    expect((await ask("setFeatureFlag", { key, input: { enabled: true } })).refusal).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [{ pointer: "/key" }],
    });
  });

  it("names every value that is not allowed", async () => {
    const rules = [
      { attribute: "a", operator: "NUM_GT", values: ["many"] },
      { attribute: "a", operator: "NUM_GT", values: ["1", "2"] },
      { attribute: "a", operator: "DATE_AFTER", values: ["tomorrow"] },
      { attribute: "a", operator: "SEMVER_EQ", values: ["v1.0.0"] },
    ];
    const { refusal } = await ask("setFeatureFlag", {
      key: aKey(),
      input: { enabled: true, rules },
    });
    expect([refusal?.["code"], refusal?.["errors"].map(({ pointer, code }: Json) => `${pointer} ${code}`)]).toEqual([
      "FEATURE_FLAG_INVALID",
      [
        "/input/rules/0/values/0 FORMAT",
        "/input/rules/1/values TOO_MANY",
        "/input/rules/2/values/0 FORMAT",
        "/input/rules/3/values/0 FORMAT",
      ],
    ]);
  });

  it("holds the limits of a tenant", async () => {
    const values = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`);
    const many = [
      { ...rule, values: values(500) },
      { ...rule, values: values(500) },
    ];
    const who = manager(other);
    const input = (rules: unknown[]) => ({ enabled: true, rules });
    expect(await codeOf("setFeatureFlag", { key: "wide", input: input([...many, rule]) }, who)).toBe(
      "FEATURE_FLAG_INVALID",
    );
    for (let at = 0; at < 10; at += 1) await done("setFeatureFlag", { key: `wide-${at}`, input: input(many) }, who);
    const refusal = (await ask("setFeatureFlag", { key: "wide", input: input([rule]) }, who)).refusal;
    expect(refusal).toMatchObject({ code: "CONFLICT", limit: 10_000 });
    await done("setFeatureFlag", { key: "wide-0", input: input([rule]) }, who);
    await done("setFeatureFlag", { key: "wide", input: input([rule]) }, who);
    expect(await stored(other)).toMatchObject({ flag_count: 11, value_count: 9004 });
    await platform.admin.query("update feature_flag_sets set flag_count = 1000 where tenant_id = $1", [
      decodeId("ten", other),
    ]);
    expect((await ask("setFeatureFlag", { key: "last", input: { enabled: true } }, who)).refusal).toMatchObject({
      code: "CONFLICT",
      limit: 1000,
    });
    await done("deleteFeatureFlag", { key: "wide" }, who);
    await done("setFeatureFlag", { key: "last", input: { enabled: true } }, who);
  });
});

describe("Query.featureFlagHistory", () => {
  it("shows who made which change, the newest first, also after the flag was deleted", async () => {
    const key = aKey();
    await set(key, { rules: [rule] });
    await set(key, { enabled: false });
    await done("deleteFeatureFlag", { key });
    expect(await codeOf("featureFlag", { key })).toBe("NOT_FOUND");
    const { items } = await done("featureFlagHistory", { key });
    expect(items.map(({ version, change, changedBy }: Json) => [version, change, changedBy])).toEqual([
      [3, "Deleted", "cli_test"],
      [2, "Updated", "cli_test"],
      [1, "Created", "cli_test"],
    ]);
    expect(items[2]).toMatchObject({ enabled: true, rules: [{ attribute: "country" }] });
    const page = await done("featureFlagHistory", { key, first: 2 });
    const rest = await done("featureFlagHistory", { key, first: 2, after: page.nextCursor });
    expect(rest.items.map(({ version }: Json) => version)).toEqual([1]);
    expect(await codeOf("featureFlagHistory", { key: "never" })).toBe("NOT_FOUND");
    expect(await codeOf("featureFlagHistory", { key }, manager(other))).toBe("NOT_FOUND");
  });

  it("keeps the newest 50 versions", async () => {
    const key = aKey();
    for (let change = 0; change < 53; change += 1) await set(key, { rolloutPercentage: change });
    const { items } = await done("featureFlagHistory", { key, first: 200 });
    expect([items.length, items[0].version, items.at(-1).version]).toEqual([50, 53, 4]);
    expect(await codeOf("restoreFeatureFlag", { key, version: 3 })).toBe("NOT_FOUND");
  });

  it("forgets the flags that were deleted before the last 100", async () => {
    const key = aKey();
    await set(key);
    await done("deleteFeatureFlag", { key });
    await platform.admin.query(
      `insert into feature_flag_versions
       select tenant_id, 'old-' || n, version, change, enabled, rollout_percentage, description, stickiness, rules,
         now() - interval '1 day' - make_interval(secs => n), changed_by
       from feature_flag_versions, generate_series(1, 150) n where tenant_id = $1 and key = $2 and change = 'Deleted'`,
      [decodeId("ten", tenantId), key],
    );
    await set(key);
    await done("deleteFeatureFlag", { key });
    const { rows } = await platform.admin.query(
      "select key from feature_flag_versions where tenant_id = $1 and change = 'Deleted' group by key",
      [decodeId("ten", tenantId)],
    );
    expect(rows).toHaveLength(100);
    expect(await codeOf("featureFlagHistory", { key: "old-150" })).toBe("NOT_FOUND");
    expect((await done("featureFlagHistory", { key })).items).toHaveLength(4);
  });
});

describe("Mutation.restoreFeatureFlag", () => {
  it("makes a new version with the old settings, also of a deleted flag", async () => {
    const key = aKey();
    await set(key, { rules: [rule], rolloutPercentage: 7 });
    await set(key, { enabled: false });
    expect(await codeOf("restoreFeatureFlag", { key, version: 1, ifMatch: '"1"' })).toBe("PRECONDITION_FAILED");
    expect(await done("restoreFeatureFlag", { key, version: 1, ifMatch: '"2"' })).toMatchObject({
      ...{ enabled: true, rolloutPercentage: 7, rules: [rule], version: 3, created: false },
    });
    await done("deleteFeatureFlag", { key });
    expect(await done("restoreFeatureFlag", { key, version: 2 })).toMatchObject({
      enabled: false,
      version: 5,
      created: true,
    });
    const changes = (await eventsAbout(key)).map(({ data }) => data["change"]);
    expect(changes).toEqual(["Created", "Updated", "Restored", "Deleted", "Restored"]);
  });

  it("refuses an unknown version and one of another tenant", async () => {
    const key = aKey();
    await set(key);
    expect(await codeOf("restoreFeatureFlag", { key, version: 2 })).toBe("NOT_FOUND");
    expect(await codeOf("restoreFeatureFlag", { key, version: 1 }, manager(other))).toBe("NOT_FOUND");
  });
});

describe("Mutation.deleteFeatureFlag", () => {
  it("deletes once, under its precondition", async () => {
    const key = aKey();
    await set(key);
    expect(await codeOf("deleteFeatureFlag", { key }, manager(other))).toBe("NOT_FOUND");
    expect(await codeOf("deleteFeatureFlag", { key, ifMatch: '"2"' })).toBe("PRECONDITION_FAILED");
    expect(await done("deleteFeatureFlag", { key, ifMatch: '"1"' })).toEqual({ key, version: 1 });
    expect(await codeOf("deleteFeatureFlag", { key })).toBe("NOT_FOUND");
  });

  it("does not give a version twice, so that an old entity tag never matches a new flag", async () => {
    const key = aKey();
    await set(key);
    await done("deleteFeatureFlag", { key });
    expect(await set(key)).toMatchObject({ version: 3, created: true });
  });
});

describe("Query.featureFlags", () => {
  it("filters by prefix and state, in the order of keys", async () => {
    for (const key of ["list.b", "list.a", "list_c"]) await set(key, { enabled: key !== "list.b" });
    const keysOf = async (filter: Record<string, unknown>) =>
      (await done("featureFlags", { filter })).items.map(({ key }: Json) => key);
    expect(await keysOf({ prefix: "list." })).toEqual(["list.a", "list.b"]);
    expect(await keysOf({ prefix: "list.", enabled: true })).toEqual(["list.a"]);
    expect(await keysOf({ prefix: "list%" })).toEqual([]);
    const first = await done("featureFlags", { first: 1, filter: { prefix: "list" } });
    expect(first.items).toHaveLength(1);
    const second = await done("featureFlags", { first: 1, after: first.nextCursor, filter: { prefix: "list" } });
    expect(second.items.map(({ key }: Json) => key)).toEqual(["list.b"]);
  });
});
