import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { presetNames } from "./provider-presets.js";

let fixture: IntegrationFixture;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ allowLoopback: false, httpsOnly: true });
});

afterAll(() => fixture.close());

type Principal = ReturnType<typeof aPrincipal>;

const fields = "providerId key displayName apiClient capabilities baseUrl preset driver status";

async function registered(principal: Principal, input: object) {
  const { data, errors } = await fixture.run(
    principal,
    `mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { ${fields} } }`,
    { input: { displayName: "Acme", category: "Tool", authModel: "None", ...input } },
  );
  return { provider: data?.registerProvider, error: errors?.[0]?.extensions };
}

async function updated(principal: Principal, providerId: string, input: object, key?: string) {
  const { data, errors } = await fixture.run(
    principal,
    `mutation ($providerId: ID!, $input: UpdateProviderInput!) {
       updateProvider(providerId: $providerId, input: $input) { ${fields} } }`,
    { providerId, input },
    key,
  );
  return { provider: data?.updateProvider, error: errors?.[0]?.extensions };
}

const events = (providerId: string, type: string) =>
  fixture.rows<{ data: Record<string, unknown> }>(
    "select envelope->'data' as data from integration.event_log where envelope->>'subject' = $1 and type = $2 order by position",
    `providers/${providerId}`,
    type,
  );

const oauth2 = { tokenUrl: "https://93.184.216.34/token", clientAuthentication: "none" };

describe("presets", () => {
  it("are listed for readers of providers, with their drivers", async () => {
    const query = "{ providerPresets { name displayName category authModel apiClient capabilities baseUrl driver } }";
    const { data } = await fixture.run(aPrincipal({ scopes: ["integration.providers.read"] }), query);
    expect(data.providerPresets.map(({ name }: { name: string }) => name)).toEqual(presetNames);
  });

  it("are listed in pages, by name", async () => {
    const query = (after: string | null) =>
      `{ vendorPresets(first: 20, after: ${JSON.stringify(after)}) { items { name driver } nextCursor } }`;
    const reader = aPrincipal({ scopes: ["integration.providers.read"] });
    const names: string[] = [];
    for (let after: string | null = null, pages = 0; pages === 0 || after !== null; pages++) {
      const { data } = await fixture.run(reader, query(after));
      expect(data.vendorPresets.items.length).toBeLessThanOrEqual(20);
      names.push(...data.vendorPresets.items.map(({ name }: { name: string }) => name));
      after = data.vendorPresets.nextCursor;
    }
    expect(names).toEqual([...presetNames].sort());
  });

  it("are no providers", async () => {
    const principal = aPrincipal();
    const { data } = await fixture.run(principal, "{ providers { items { key } } }");
    expect(data.providers.items).toEqual([]);
    for (const key of presetNames) expect((await registered(principal, { key })).error).toBeUndefined();
  });

  it("give a provider of their key what its registration leaves out", async () => {
    const { provider } = await registered(aPrincipal(), { key: "github", apiClient: "mine" });
    expect(provider).toMatchObject({
      preset: "github",
      apiClient: "mine",
      baseUrl: "https://api.github.com",
      driver: { webhook: { scheme: { header: "x-hub-signature-256" } } },
    });
    expect(provider.capabilities).toContain("webhooks.receive");
  });

  it("give their driver under another key, and members of the driver replace theirs", async () => {
    const { provider } = await registered(aPrincipal(), {
      key: "our-git",
      preset: "github",
      baseUrl: "https://93.184.216.34/api/v3",
      capabilities: [],
      driver: { headers: { accept: "application/json" }, oauth2 },
    });
    expect(provider).toMatchObject({ preset: "github", baseUrl: "https://93.184.216.34/api/v3", capabilities: [] });
    expect(provider.driver).toMatchObject({
      oauth2,
      headers: { accept: "application/json" },
      probe: { path: "/user" },
    });
    expect(provider.driver.headers).not.toHaveProperty("x-github-api-version");
  });

  it("that do not exist are refused with the names of all", async () => {
    const { error } = await registered(aPrincipal(), { key: "acme", preset: "constructor" });
    expect(error).toMatchObject({
      code: "PARAMETERS_INVALID",
      errors: [{ pointer: "/input/preset", code: "UNKNOWN_VALUE", detail: expect.stringContaining("github") }],
    });
    expect((await registered(aPrincipal(), { key: "constructor" })).provider).toMatchObject({
      preset: null,
      driver: {},
    });
  });
});

describe("the URLs of a driver", () => {
  it.each([
    ["http outside of development", { tokenUrl: "http://93.184.216.34/token" }, "tokenUrl"],
    ["a private address", { revocationUrl: "https://10.0.0.1/revoke" }, "revocationUrl"],
    ["loopback", { authorizationUrl: "https://127.0.0.1/authorize" }, "authorizationUrl"],
  ])("are refused with %s", async (_, part, member) => {
    const { error } = await registered(aPrincipal(), { key: "acme", driver: { oauth2: { ...oauth2, ...part } } });
    expect(error).toMatchObject({
      code: "TARGET_BLOCKED",
      errors: [{ pointer: `/input/driver/oauth2/${member}`, code: "TARGET_BLOCKED" }],
    });
  });

  it("are refused beside a base URL without https", async () => {
    const { error } = await registered(aPrincipal(), { key: "acme", baseUrl: "http://93.184.216.34/" });
    expect(error).toMatchObject({ code: "TARGET_BLOCKED", errors: [{ pointer: "/input/baseUrl" }] });
  });
});

describe("Mutation.updateProvider", () => {
  it("changes the members that are given, and tells which", async () => {
    const principal = aPrincipal();
    const { provider } = await registered(principal, { key: "acme", capabilities: ["a.b"] });
    const input = { displayName: "Acme 2", capabilities: ["C.D", "c.d"], driver: { idempotencyHeader: "x-key" } };
    const changedProvider = await updated(principal, provider.providerId, input, "one");
    expect(changedProvider).toEqual({
      provider: { ...provider, displayName: "Acme 2", capabilities: ["c.d"], driver: { idempotencyHeader: "x-key" } },
      error: undefined,
    });
    expect(await updated(principal, provider.providerId, input, "one")).toEqual(changedProvider);
    await updated(principal, provider.providerId, { ...input, baseUrl: null });
    await updated(principal, provider.providerId, { driver: {} });
    const updateEvents = await eventually(async () => {
      const updates = await events(provider.providerId, "ProviderUpdated");
      return updates.length > 1 ? updates : undefined;
    });
    expect(updateEvents.map(({ data }) => data["changed"])).toEqual([
      ["displayName", "capabilities", "driver"],
      ["driver"],
    ]);
    expect(updateEvents[0]?.data).toMatchObject({ displayName: "Acme 2", capabilities: ["c.d"], status: "Registered" });
    expect(JSON.stringify(updateEvents)).not.toContain("x-key");
  });

  it("changes no Retired provider", async () => {
    const principal = aPrincipal();
    const { provider } = await registered(principal, { key: "acme" });
    for (const move of ["disableProvider", "retireProvider"])
      await fixture.run(principal, `mutation { ${move}(providerId: "${provider.providerId}") { status } }`);
    const { error } = await updated(principal, provider.providerId, { displayName: "x" });
    expect(error).toMatchObject({ code: "INVALID_STATE", status: 409, currentState: "Retired" });
  });

  it.each([
    ["a blocked URL", { baseUrl: "https://10.0.0.1/" }, "TARGET_BLOCKED"],
    ["an invalid driver", { driver: { headers: { cookie: "x" } } }, "PARAMETERS_INVALID"],
    ["a blank name", { displayName: " " }, "VALIDATION_FAILED"],
    ["a path that is malformed", { driver: { probe: { method: "GET", path: "//evil.example" } } }, "VALIDATION_FAILED"],
  ])("refuses %s", async (_, input, code) => {
    const principal = aPrincipal();
    const { provider } = await registered(principal, { key: "acme" });
    expect((await updated(principal, provider.providerId, input)).error).toMatchObject({ code });
  });
});
