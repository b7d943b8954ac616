import { aConnection } from "../kit/connections.js";
import { aProvider, movedProvider } from "../kit/providers.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

interface Listed {
  readonly items: readonly { key: string; status: string }[];
  readonly nextCursor: string | null;
}

const listProviders = (query: string) => request<Listed>(`GET /integrations/providers${query}`, { token });
const keysOf = async (query: string) => (await listProviders(query)).body.items.map(({ key }) => key);

describe("providers over REST", () => {
  it("are listed in pages, by status and category", async () => {
    const pay = await aProvider(token, { key: "pay", category: "Payment" });
    await aProvider(token, { key: "mail", category: "Communication" });
    await aProvider(token, { key: "bank", category: "Payment" });
    await movedProvider(token, "deprecateProvider", pay);
    const first = await listProviders("?limit=2");
    expect(first.body.items.map(({ key }) => key)).toEqual(["bank", "mail"]);
    expect(await keysOf(`?limit=2&cursor=${encodeURIComponent(first.body.nextCursor ?? "")}`)).toEqual(["pay"]);
    expect(await keysOf("?status=Deprecated")).toEqual(["pay"]);
    expect(await keysOf("?status=Registered&category=Payment")).toEqual(["bank"]);
    const unknown = await request("GET /integrations/providers?status=Gone", { token });
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ pointer: "/status", code: "UNKNOWN_VALUE" }] } });
    expect(await request("GET /integrations/providers?category=Gone", { token })).toMatchObject({ status: 422 });
  });

  it("are changed, with a driver of their own", async () => {
    const providerId = await aProvider(token, { key: "github" });
    const change = (body: object) => request(`PATCH /integrations/providers/${providerId}`, { token, body });
    const driver = { rateLimit: { requests: 10, perSeconds: 60 } };
    const changeAnswer = await change({ displayName: "GitHub", driver });
    expect(changeAnswer).toMatchObject({ status: 200, body: { providerId, displayName: "GitHub", preset: "github" } });
    const readAnswer = await request<{ driver: object }>(`GET /integrations/providers/${providerId}`, { token });
    expect(readAnswer.body.driver).toMatchObject({ ...driver, probe: { path: "/user" } });
    const refusedAnswer = await change({ driver: { headers: { authorization: "secret" } } });
    expect(refusedAnswer).toMatchObject({ status: 422, body: { code: "PARAMETERS_INVALID" } });
    expect(await change({ driver: { probe: { method: "GET", path: "no slash" } } })).toMatchObject({ status: 400 });
    expect(await change({ displayName: "" })).toMatchObject({ status: 400 });
  });
});

describe("the ETag of a connection", () => {
  const conditional = (line: string, headers: Record<string, string>, body?: object) =>
    request(line, { token, body, headers });

  it("is its version: it saves a second answer, and a stale one changes and deletes nothing", async () => {
    const providerId = await aProvider(token, { key: "tagged" });
    const body = { providerId, displayName: "Acme", authMode: "None" };
    const connectionAnswer = await conditional("POST /integrations/connections", { prefer: "wait=20" }, body);
    const path = `/integrations/connections/${String(connectionAnswer.body["connectionId"])}`;
    const readAnswer = await request(`GET ${path}`, { token });
    const tag = readAnswer.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"\d+"$/);
    const again = await conditional(`GET ${path}`, { "if-none-match": tag });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag]);

    for (const stale of ['"0"', `W/${tag}`])
      for (const line of [`PATCH ${path}`, `DELETE ${path}`]) {
        const refusedAnswer = await conditional(line, { "if-match": stale }, line.startsWith("PATCH") ? {} : undefined);
        expect([line, stale, refusal(refusedAnswer)]).toEqual([line, stale, "412 PRECONDITION_FAILED"]);
        expect(refusedAnswer.headers.get("etag")).toBe(tag);
      }
    const changeAnswer = await conditional(`PATCH ${path}`, { "if-match": tag }, { displayName: "Acme Inc." });
    const next = changeAnswer.headers.get("etag") ?? "";
    expect([changeAnswer.status, next === tag]).toEqual([200, false]);
    const fresh = await conditional(`GET ${path}`, { "if-none-match": tag });
    expect([fresh.status, fresh.headers.get("etag"), fresh.body["displayName"]]).toEqual([200, next, "Acme Inc."]);
    expect(refusal(await conditional(`DELETE ${path}`, { "if-match": tag }))).toBe("412 PRECONDITION_FAILED");
    expect((await conditional(`DELETE ${path}`, { "if-match": next })).status).toBe(204);
  });
});

describe("PATCH /integrations/connections/{connectionId}", () => {
  it("removes what is null and keeps what is absent", async () => {
    const providerId = await aProvider(token, { key: "patched" });
    const input = { projectId: "orders", credentialRef: "secret://elsewhere/key", configuration: { region: "eu" } };
    const path = `/integrations/connections/${await aConnection(token, providerId, input)}`;
    const members: Record<string, unknown> = { ...input, displayName: "Acme" };
    for (const [member, emptyValue] of [
      ["credentialRef", null],
      ["projectId", null],
      ["configuration", {}],
    ] as const) {
      const changeAnswer = await request(`PATCH ${path}`, { token, body: { [member]: null } });
      members[member] = emptyValue;
      expect(changeAnswer).toMatchObject({ status: 200, body: members });
    }
    expect(await request(`PATCH ${path}`, { token, body: { displayName: null } })).toMatchObject({ body: members });
    expect(await request(`GET ${path}`, { token })).toMatchObject({ body: members });
  });
});
