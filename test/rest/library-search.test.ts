import { eventually } from "../kit/eventually.js";
import { aLibrary } from "../kit/libraries.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

interface Found {
  results: {
    libraryId: string;
    packageName: string;
    matchedCapability: string | null;
    latestVersion: string | null;
    matchedOn: string;
    source: string;
    apiClientId: string | null;
    providerId: string | null;
  }[];
  total: number;
  nextCursor: string | null;
}

let tenant: TestTenant;
let token: string;
let apiClientId: string;
let providerId: string;

const search = async (body: unknown, as = token) =>
  (await request<Found>("POST /v1/libraries/search", { token: as, body })).body;
const names = ({ results }: Found) => results.map(({ packageName }) => packageName);

const provider = {
  key: "acme-pay",
  displayName: "Acme Pay",
  category: "Payment",
  authModel: "ApiKey",
  capabilities: ["payment.charge", "payment.refund"],
};

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  await aLibrary(token, {
    packageName: "Acme.Payments",
    area: "Payment",
    owner: "Team-Pay",
    tags: ["Money", "core"],
    capabilities: [{ name: "payment.charge", contract: "IChargePayments" }],
    versions: [
      { semanticVersion: "1.0.0", targetFramework: "net6.0" },
      { semanticVersion: "2.0.0", targetFramework: "net9.0" },
    ],
  });
  await aLibrary(token, { packageName: "Acme.Ledger", area: "Ledger", capabilities: [{ name: "ledger.post" }] });
  const registration = await request<Record<"providerId" | "apiClientId", string>>("POST /integrations/providers", {
    token,
    body: provider,
  });
  ({ providerId, apiClientId } = registration.body);
  await eventually("the API client is found", async () => (await search({ includeApiClients: true })).total === 3);
});

describe("POST /v1/libraries/search with includeApiClients", () => {
  it("lists only libraries by default", async () => {
    for (const input of [{}, { includeApiClients: false }, { includeApiClients: null }])
      expect(names(await search({ capability: "payment.charge", ...input }))).toEqual(["Acme.Payments"]);
  });

  it("lists API clients with the documented members", async () => {
    const result = await search({ capability: "payment.charge", includeApiClients: true });
    expect(result).toEqual({
      results: [
        {
          libraryId: expect.stringMatching(/^lib_/),
          packageName: "Acme.Payments",
          matchedCapability: "payment.charge",
          latestVersion: "2.0.0",
          matchedOn: "ExactName",
          source: "Library",
          apiClientId: null,
          providerId: null,
        },
        {
          libraryId: apiClientId,
          packageName: "acme-pay",
          matchedCapability: "payment.charge",
          latestVersion: null,
          matchedOn: "ExactName",
          source: "ApiClient",
          apiClientId,
          providerId,
        },
      ],
      total: 2,
      nextCursor: null,
    });
  });

  it("filters them by area and framework like libraries without versions", async () => {
    const input = { area: "payment", targetFramework: "net6.0", includeApiClients: true };
    const { results } = await search(input);
    expect(results.map(({ packageName, latestVersion }) => [packageName, latestVersion])).toEqual([
      ["Acme.Payments", "1.0.0"],
      ["acme-pay", null],
    ]);
    expect(names(await search({ ...input, targetFramework: "net48" }))).toEqual(["acme-pay"]);
  });

  it("shows API clients only to their tenant", async () => {
    const other = await (await aTenant()).tokenWith();
    expect(await search({ includeApiClients: true }, other)).toEqual({ results: [], total: 0, nextCursor: null });
  });
});

describe("Query.searchLibraries", () => {
  const document = `query ($input: SearchLibrariesInput!) {
    searchLibraries(input: $input) {
      results { libraryId source apiClient { apiClientId key displayName category capabilities status provider { key } } }
    } }`;
  const variables = { input: { capability: "payment.refund", includeApiClients: true } };
  interface Data {
    searchLibraries: { results: { libraryId: string; source: string; apiClient: unknown }[] };
  }

  it("shows the API client as the integration subgraph describes it", async () => {
    const { body } = await graphql<Data>(document, { token, variables });
    expect(body.errors).toBeUndefined();
    const { authModel: _, ...visibleProvider } = provider;
    expect(body.data.searchLibraries.results).toEqual([
      {
        libraryId: apiClientId,
        source: "ApiClient",
        apiClient: { apiClientId, ...visibleProvider, status: "Registered", provider: { key: provider.key } },
      },
    ]);
  });

  it("shows only the id of the API client to a token that may not read providers", async () => {
    const reader = await tenant.tokenWith("libraries.read");
    const { body } = await graphql<Data>(document, { token: reader, variables });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      requiredScopes: ["integration.providers.read"],
    });
    const ids = document.replace(/apiClient \{.*\}/, "apiClient { apiClientId } }");
    const again = await graphql<Data>(ids, { token: reader, variables });
    expect(again.body.errors).toBeUndefined();
    expect(again.body.data.searchLibraries.results).toMatchObject([{ apiClient: { apiClientId } }]);
  });
});

describe("POST /v1/libraries/search", () => {
  it("combines all filters, ignoring case", async () => {
    const all = { area: "PAYMENT", owner: "team-pay", tags: ["money", "CORE"], status: "Active" };
    expect(names(await search({ ...all, capability: "payment" }))).toEqual(["Acme.Payments"]);
    for (const other of [{ owner: "team" }, { tags: ["money", "other"] }, { area: "pay" }])
      expect((await search({ ...all, ...other })).total).toBe(0);
  });

  it("refuses values that are not valid in a filter", async () => {
    const answer = (body: unknown) => request("POST /v1/libraries/search", { token, body });
    const unknown = await answer({ status: "Gone" });
    expect([refusal(unknown), refusedFields(unknown)]).toEqual(["422 PARAMETERS_INVALID", ["/status UNKNOWN_VALUE"]]);
    for (const body of [{ capability: 5 }, { tags: "a" }, { includeApiClients: "yes" }, { limit: 0 }, { area: "a\0" }])
      expect(refusal(await answer(body))).toBe("400 VALIDATION_FAILED");
  });

  it("finds nothing for hostile text", async () => {
    for (const capability of [
      "%",
      "_",
      "' or 1=1 --",
      "\\",
      "${jndi:x}",
      "__proto__",
      "\u{1f600}",
      "\u202e",
      "a".repeat(100),
    ])
      expect([capability, (await search({ capability, includeApiClients: true })).total]).toEqual([capability, 0]);
    for (const filter of [{ area: "%" }, { owner: "constructor" }, { tags: ["{a,b}"] }])
      expect((await search(filter)).total).toBe(0);
  });
});
