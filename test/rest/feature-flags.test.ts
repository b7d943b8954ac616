import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

interface Listed {
  readonly items: readonly { readonly key: string }[];
}

interface History {
  readonly featureFlagHistory: { readonly edges: readonly { readonly node: { readonly change: string } }[] };
}

let tenant: TestTenant;
let token: string;
let keys = 0;
const aKey = () => `flag-${++keys}`;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

const putFlag = (key: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  request(`PUT /v1/feature-flags/${key}`, { token, body, headers });

describe("PUT /v1/feature-flags/{key}", () => {
  it("creates with 201 and replaces with 200, with the members of the specification", async () => {
    const key = aKey();
    const creation = await putFlag(key, { enabled: true, rolloutPercentage: 25 });
    expect([creation.status, creation.headers.get("etag")]).toEqual([201, '"1"']);
    expect(creation.body).toMatchObject({ key, enabled: true, rolloutPercentage: 25, updatedAt: expect.any(String) });
    expect(creation.body).not.toHaveProperty("created");
    const replacement = await putFlag(key, { enabled: false });
    expect([replacement.status, replacement.headers.get("etag"), replacement.body["rolloutPercentage"]]).toEqual([
      200,
      '"2"',
      100,
    ]);
    const repetition = await putFlag(key, { enabled: false });
    expect([repetition.status, repetition.headers.get("etag"), repetition.body]).toEqual([
      200,
      '"2"',
      replacement.body,
    ]);
  });

  it("changes only the version that If-Match names", async () => {
    const key = aKey();
    expect(refusal(await putFlag(key, { enabled: true }, { "if-match": "*" }))).toBe("412 PRECONDITION_FAILED");
    await putFlag(key, { enabled: true }, { "if-none-match": "*" });
    const conflict = await putFlag(key, { enabled: false }, { "if-none-match": "*" });
    expect([refusal(conflict), conflict.headers.get("etag"), conflict.body["currentVersion"]]).toEqual([
      "412 PRECONDITION_FAILED",
      '"1"',
      1,
    ]);
    expect((await putFlag(key, { enabled: false }, { "if-match": '"0", "1"' })).status).toBe(200);
    for (const stale of ['"1"', 'W/"2"', '"x"'])
      expect(refusal(await putFlag(key, { enabled: true }, { "if-match": stale }))).toBe("412 PRECONDITION_FAILED");
    expect(refusal(await putFlag(key, { enabled: true }, { "if-match": "2" }))).toBe("400 VALIDATION_FAILED");
  });

  it.each([-1, 101, 0.5, "10", 1e10])("refuses the percentage %j", async (rolloutPercentage) => {
    const answer = await putFlag(aKey(), { enabled: true, rolloutPercentage });
    expect([refusal(answer), refusedFields(answer)[0]]).toEqual([
      "400 VALIDATION_FAILED",
      expect.stringMatching(/^\/rolloutPercentage (OUT_OF_RANGE|TYPE)$/),
    ]);
  });

  it("points into the body at a rule that is not allowed", async () => {
    const rules = [{ attribute: "age", operator: "NUM_GT", values: ["old"] }];
    const answer = await putFlag(aKey(), { enabled: true, rules });
    expect([refusal(answer), refusedFields(answer)]).toEqual([
      "422 FEATURE_FLAG_INVALID",
      ["/rules/0/values/0 FORMAT"],
    ]);
  });

  it("refuses a key that is not well formed", async () => {
    for (const key of ["-a", "a%20b", "a%2Fb", "x".repeat(101)])
      expect([key, refusal(await putFlag(key, { enabled: true }))]).toEqual([key, "400 VALIDATION_FAILED"]);
  });
});

describe("GET /v1/feature-flags/{key}", () => {
  it("answers 304 to the entity tag of the current version", async () => {
    const key = aKey();
    await putFlag(key, { enabled: true });
    const get = (headers: Record<string, string> = {}) => request(`GET /v1/feature-flags/${key}`, { token, headers });
    const flagAnswer = await get();
    expect([flagAnswer.status, flagAnswer.headers.get("etag"), flagAnswer.body["version"]]).toEqual([200, '"1"', 1]);
    expect((await get({ "if-none-match": '"1"' })).status).toBe(304);
    await putFlag(key, { enabled: false });
    expect((await get({ "if-none-match": '"1"' })).body["enabled"]).toBe(false);
  });
});

describe("GET /v1/feature-flags", () => {
  it("lists by prefix and state", async () => {
    for (const [key, isEnabled] of [
      ["list.b", true],
      ["list.a", false],
      ["other", true],
    ] as const)
      await putFlag(key, { enabled: isEnabled });
    const keysOf = async (query: string) =>
      (await request<Listed>(`GET /v1/feature-flags?${query}`, { token })).body.items.map(({ key }) => key);
    expect(await keysOf("prefix=list.")).toEqual(["list.a", "list.b"]);
    expect(await keysOf("prefix=list.&enabled=true")).toEqual(["list.b"]);
    expect(await keysOf("prefix=list.&sort=-key&limit=1")).toEqual(["list.b"]);
  });
});

describe("DELETE /v1/feature-flags/{key}", () => {
  it("deletes under its precondition, and a version can be restored", async () => {
    const key = aKey();
    await putFlag(key, { enabled: true, rolloutPercentage: 5 });
    const remove = (headers = {}) => request(`DELETE /v1/feature-flags/${key}`, { token, headers });
    expect(refusal(await remove({ "if-match": '"2"' }))).toBe("412 PRECONDITION_FAILED");
    const removal = await remove({ "if-match": '"1"' });
    expect([removal.status, removal.text]).toEqual([204, ""]);
    expect(refusal(await remove())).toBe("404 NOT_FOUND");
    const query = `mutation { restoreFeatureFlag(key: "${key}", version: 1) { version created rolloutPercentage } }`;
    const { body } = await graphql(query, { token });
    expect(body.data["restoreFeatureFlag"]).toEqual({ version: 3, created: true, rolloutPercentage: 5 });
    const history = `{ featureFlagHistory(key: "${key}") { edges { node { version change changedAt changedBy } } } }`;
    const { edges } = (await graphql<History>(history, { token })).body.data.featureFlagHistory;
    expect(edges.map(({ node }) => node.change)).toEqual(["Restored", "Deleted", "Created"]);
  });
});
