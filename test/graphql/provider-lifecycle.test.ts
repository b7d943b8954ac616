import { newId } from "@factory/runtime/identifiers/wire-id";
import { eventually } from "../kit/eventually.js";
import { aProvider, movedProvider } from "../kit/providers.js";
import { graphql } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

let token: string;
let other: string;

beforeAll(async () => {
  const [ownTenant, another] = await Promise.all([aTenant(), aTenant()]);
  [token, other] = await Promise.all([ownTenant.tokenWith(), another.tokenWith()]);
});

interface Found {
  searchLibraries: { results: { apiClient: { apiClientId: string; key: string; status: string } | null }[] };
}

/** API client keys that the tenant's search finds. */
async function foundKeys(by = token): Promise<string[]> {
  const input = '{ capability: "mail.send", includeApiClients: true }';
  const query = `{ searchLibraries(input: ${input}) { results { apiClient { apiClientId key status } } } }`;
  const { body } = await graphql<Found>(query, { token: by });
  return body.data.searchLibraries.results.flatMap(({ apiClient }) => apiClient?.key ?? []);
}

const isFound = (key: string) => async () => (await foundKeys()).includes(key);
const isGone = (key: string) => async () => !(await foundKeys()).includes(key);

const move = (name: string, providerId: string, by = token) =>
  graphql(`mutation { ${name}(providerId: "${providerId}") { status } }`, { token: by });

describe("the life of a provider", () => {
  it("decides whether library searches find its API client", async () => {
    const providerId = await aProvider(token, { key: "mail", capabilities: ["mail.send"] });
    await aProvider(token, { key: "post", capabilities: ["mail.send"] });
    await eventually("both are found", async () => (await foundKeys()).length === 2);
    expect(await foundKeys(other)).toEqual([]);
    await movedProvider(token, "disableProvider", providerId);
    await eventually("the search no longer finds it after it is disabled", isGone("mail"));
    await movedProvider(token, "enableProvider", providerId);
    await eventually("the search finds it after it is enabled", isFound("mail"));
    await movedProvider(token, "deprecateProvider", providerId);
    await eventually("the search no longer finds it after it is deprecated", isGone("mail"));
    await movedProvider(token, "enableProvider", providerId);
    await eventually("the search finds it again", isFound("mail"));
    await movedProvider(token, "disableProvider", providerId);
    expect(await movedProvider(token, "retireProvider", providerId)).toMatchObject({ status: "Retired" });
    await eventually("the search no longer finds it after it is retired", isGone("mail"));
    const { body } = await move("enableProvider", providerId);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: "INVALID_STATE", status: 409, currentState: "Retired" });
    expect(await foundKeys()).toEqual(["post"]);
  });

  it("is not visible to another tenant", async () => {
    const providerId = await aProvider(token, { key: "own" });
    for (const name of ["deprecateProvider", "disableProvider", "enableProvider", "retireProvider"]) {
      const [foreign, unknown] = await Promise.all([move(name, providerId, other), move(name, newId("prv"), other)]);
      expect(foreign.body.errors?.[0]?.extensions).toMatchObject({ code: "PROVIDER_NOT_FOUND", status: 404 });
      expect(foreign.body.errors?.[0]?.message).toBe(unknown.body.errors?.[0]?.message);
    }
    const answer = await graphql(`{ provider(providerId: "${providerId}") { status } }`, { token });
    expect(answer.body.data["provider"]).toEqual({ status: "Registered" });
  });
});

describe("Query.providers", () => {
  it("lists only the providers of the tenant", async () => {
    const tenant = await (await aTenant()).tokenWith();
    await aProvider(tenant, { key: "listed" });
    const query = "{ providers { items { key status statusReason } nextCursor } }";
    const { body } = await graphql(query, { token: tenant });
    const items = [{ key: "listed", status: "Registered", statusReason: null }];
    expect(body.data["providers"]).toEqual({ items, nextCursor: null });
  });
});
