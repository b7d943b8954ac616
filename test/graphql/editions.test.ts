import { anEdition, type TestEdition } from "../kit/editions.js";
import { eventually } from "../kit/eventually.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, type Json, request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

let administrator: string;
let tenant: TestTenant;
let edition: TestEdition;

beforeAll(async () => {
  administrator = await platformToken();
  tenant = await aTenant();
  edition = await anEdition(administrator, { features: limitedTo(3) });
});

const limitedTo = (limit: unknown) => ({ "users.max": { kind: "limit", limit } });
const members = "code name description trialDays features active version";

const documents: Record<string, string> = {
  createEdition: `mutation ($input: CreateEditionInput!) { edition: createEdition(input: $input) { ${members} } }`,
  updateEdition: `mutation ($code: String!, $input: UpdateEditionInput!) { edition: updateEdition(code: $code, input: $input) { ${members} } }`,
  revertEdition: `mutation ($code: String!, $version: Int!) { edition: revertEdition(code: $code, version: $version) { ${members} } }`,
  retireEdition: `mutation ($code: String!) { edition: retireEdition(code: $code) { ${members} } }`,
};

interface Answer {
  readonly edition: Json;
}

async function ask(document: string, variables: Record<string, unknown>, token: string | undefined = administrator) {
  const { status, body } = await graphql<Answer | null>(document, { token, variables });
  const errorFacts = body.errors?.[0]?.extensions;
  return { status, edition: body.data?.edition, code: errorFacts?.code, errors: errorFacts?.["errors"] };
}

const newEdition = { code: "Unused", name: "Unused", features: {} };
const good = (name: string) => ({
  code: edition.code,
  version: 1,
  input: name === "createEdition" ? newEdition : { name: "Unused" },
});

describe.each(Object.keys(documents))("%s", (name) => {
  const document = documents[name] ?? "";

  if (name !== "createEdition")
    it("is NOT_FOUND for an unknown code", async () => {
      for (const code of ["Gold", "", "__proto__", "toString", "x".repeat(10_000)])
        expect((await ask(document, { ...good(name), input: {}, code })).code).toBe("NOT_FOUND");
    });
});

describe("the input of an edition", () => {
  const input = (change: object) => ({ input: { code: "Broken", name: "Broken", features: {}, ...change } });

  it.each<[string, object, string, string]>([
    ["a code with a space", { code: "a b" }, "VALIDATION_FAILED", "/input/code"],
    ["a blank name", { name: " " }, "VALIDATION_FAILED", "/input/name"],
    ["a negative trial", { trialDays: -1 }, "VALIDATION_FAILED", "/input/trialDays"],
    ["a trial of two years", { trialDays: 730 }, "VALIDATION_FAILED", "/input/trialDays"],
    ["a negative limit", { features: limitedTo(-1) }, "EDITION_FEATURES_INVALID", "/input/features/users.max/limit"],
    ["an unknown kind", { features: { a: { kind: "b" } } }, "EDITION_FEATURES_INVALID", "/input/features/a/kind"],
  ])("must not have %s", async (_, change, code, pointer) => {
    const answer = await ask(documents["createEdition"] ?? "", input(change));
    expect([answer.code, JSON.stringify(answer.errors)]).toEqual([code, expect.stringContaining(pointer)]);
  });

  it("must not have text that cannot be stored", async () => {
    for (const change of [{ name: "a\u0000b" }, { features: { a: { kind: "config", value: "\ud800" } } }]) {
      const answer = await graphql(documents["createEdition"] ?? "", {
        token: administrator,
        variables: input(change),
      });
      expect(refusal(answer)).toBe("400 VALIDATION_FAILED");
    }
  });

  it.each([[{ features: [] }], [{ features: "x" }], [{ trialDays: 1.5 }], [{ trialDays: "7" }], [{ name: null }]])(
    "must have the types of the schema, not %j",
    async (change) => {
      const { status, code } = await ask(documents["createEdition"] ?? "", input(change));
      expect([status < 500, code]).toEqual([true, "VALIDATION_FAILED"]);
    },
  );
});

describe("an edition", () => {
  it("is read by tenants with subscription.read and by the platform with tenant.read", async () => {
    const query = `query ($code: String!) { edition(code: $code) { ${members} } }`;
    for (const token of [await tenant.tokenWith("subscription.read"), await platformToken("tenant.read")]) {
      expect((await ask(query, { code: edition.code }, token)).edition).toMatchObject({ features: limitedTo(3) });
      const list = await graphql<Json>("{ editions(first: 200) { items { code } } }", { token });
      expect(list.body.data["editions"]?.["items"]).toContainEqual({ code: edition.code });
    }
    expect((await ask(query, { code: edition.code }, await tenant.tokenWith("user.read"))).code).toBe(
      "INSUFFICIENT_SCOPE",
    );
  });

  it("is chosen by a new tenant until it is retired, and again after it is reverted", async () => {
    const { code } = await anEdition(administrator);
    const register = () => {
      const slug = `t${Math.random().toString(36).slice(2)}`;
      const body = { name: slug, slug, editionCode: code, ownerEmail: "owner@editions.example" };
      return request("POST /v1/tenants", { token: administrator, body });
    };
    expect((await register()).status).toBe(201);
    expect((await ask(documents["retireEdition"] ?? "", { code })).edition).toMatchObject({ active: false });
    const registration = await register();
    expect([refusal(registration), refusedFields(registration)]).toEqual([
      "422 REFERENCE_NOT_FOUND",
      ["/editionCode UNKNOWN_VALUE"],
    ]);
    expect((await ask(documents["revertEdition"] ?? "", { code, version: 1 })).edition).toMatchObject({
      active: true,
      version: 3,
    });
    expect((await register()).status).toBe(201);
  });

  it("changes once for one Idempotency-Key", async () => {
    const { code } = await anEdition(administrator);
    const variables = { code, input: { name: "Renamed" } };
    const headers = { "idempotency-key": `edition-${code}` };
    const send = () => graphql<Answer>(documents["updateEdition"] ?? "", { token: administrator, variables, headers });
    const [first, second] = [await send(), await send()];
    expect(first.body.data.edition["version"]).toBe(2);
    expect(second.body.data).toEqual(first.body.data);
  });

  it("reaches the entitlements of its tenants", async () => {
    const { code } = await anEdition(administrator, { features: limitedTo(2) });
    const [ownTenant, plans] = [await aTenant(code), "{ entitlements { items { featureKey limit } } }"];
    const token = await ownTenant.tokenWith();
    const limit = async () =>
      JSON.stringify((await graphql<Json>(plans, { token })).body.data["entitlements"]?.["items"]);
    expect(await limit()).toContain('"limit":2');
    await ask(documents["updateEdition"] ?? "", { code, input: { features: limitedTo(4) } });
    await eventually("the new limit applies", async () => (await limit()).includes('"limit":4'));
  });
});
