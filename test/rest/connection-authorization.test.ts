import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { Browser, type Visit } from "../kit/browser.js";
import { aConnection } from "../kit/connections.js";
import { aCredential } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { platform } from "../kit/platform.js";
import { aProvider } from "../kit/providers.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";
import { aVendor, type Vendor } from "../kit/vendor.js";

let vendor: Vendor;
let issuer: string;
let token: string;
let providerId: string;
let credentialRef: string;

beforeAll(async () => {
  vendor = await aVendor();
  issuer = new URL(vendor.baseUrl).origin;
  token = await (await aTenant()).tokenWith();
  const { authorizationUrl, tokenUrl, basic } = vendor.oauth;
  const scopes = ["openid", "offline_access", "api"];
  const clientAuthentication = "client_secret_basic";
  const oauth2 = { authorizationUrl, tokenUrl, issuer, scopes, clientAuthentication };
  const driver = {
    oauth2: { ...oauth2, authorizationParameters: { prompt: "consent" } },
    probe: { method: "GET", path: "/me" },
  };
  providerId = await aProvider(token, { authModel: "OAuth2", baseUrl: vendor.baseUrl, driver });
  const { body } = await request<{ redirectUri: string }>(`GET /integrations/providers/${providerId}`, { token });
  vendor.oauth.returnTo(body.redirectUri);
  ({ credentialRef } = await aCredential(token, { kind: "OAuth2Client", secret: { ...basic } }));
});

afterAll(() => vendor.close());

const authMode = "OAuth2AuthorizationCode";

interface Answer {
  readonly connectionId: string;
  readonly authorizationUrl: string | null;
}

async function aLink(displayName = "Mail", headers: Record<string, string> = {}): Promise<Answer> {
  const body = { providerId, displayName, authMode, credentialRef };
  const answer = await request<Answer>("POST /integrations/connections", { token, body, headers });
  expect(answer).toMatchObject({ status: 201, body: { status: "Active", health: "Healthy" } });
  return answer.body;
}

/** A person with a browser, who has followed the link. */
async function arrived(link: string | null): Promise<{ browser: Browser; page: Visit }> {
  const browser = new Browser(platform().publicUrl);
  return { browser, page: await browser.open(link ?? "") };
}

/** Goes to the vendor, signs in and consents there, and returns the address to which the vendor leads back. */
async function atTheVendor(browser: Browser, page: Visit): Promise<string> {
  const response = await browser.submit(page, {});
  expect(response).toMatchObject({ status: 303, url: expect.stringContaining(vendor.oauth.authorizationUrl) });
  return (await new Browser(issuer).open(response.url)).url;
}

const tokensOf = async (connectionId: string) =>
  (
    await rows("select from integration.connection_tokens where connection_id = $1 and ciphertext is not null", [
      decodeId("con", connectionId),
    ])
  ).length;

const expire = (connectionId: string) =>
  rows("update integration.connection_authorizations set expires_at = now() where connection_id = $1", [
    decodeId("con", connectionId),
  ]);

describe("a connection that a person authorizes", () => {
  it("gets its tokens by the code of the person, and is verified with them", async () => {
    const { connectionId, authorizationUrl } = await aLink("Mail & <b>more</b>");
    const { browser, page } = await arrived(authorizationUrl);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Mail &amp; &lt;b&gt;more&lt;/b&gt;");
    expect(page.text).toContain(new URL(issuer).host);
    expect(page.text).not.toContain("another host");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("script-src");
    const back = await atTheVendor(browser, page);
    const location = new URL(back);
    expect([...location.searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
    const finalPage = await browser.open(back);
    expect([finalPage.status, finalPage.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(finalPage.text).toContain("is authorized");
    expect(finalPage.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await tokensOf(connectionId)).toBe(1);
    expect(vendor.oauth.grants.get("authorization_code")).toBeGreaterThan(0);
    const again = await browser.open(back);
    expect(again.status).toBe(410);
  });

  it("becomes Active again after its authorization was lost", async () => {
    const { connectionId } = await aLink();
    await rows("update integration.connections set status = 'AuthorizationRequired' where connection_id = $1", [
      decodeId("con", connectionId),
    ]);
    const path = `POST /integrations/connections/${connectionId}/reauthorize`;
    const { body } = await request<Answer>(path, { token, body: {} });
    const { browser, page } = await arrived(body.authorizationUrl);
    expect((await browser.open(await atTheVendor(browser, page))).status).toBe(200);
    const events = await rows<{ type: string }>(
      "select envelope->>'type' as type from integration.outbox where envelope->>'subject' = $1 and envelope->>'type' = 'ConnectionReauthorized'",
      [`connections/${connectionId}`],
    );
    expect(events).toHaveLength(1);
    expect(await tokensOf(connectionId)).toBe(1);
  });

  it("has a new link, which ends the one before, and neither is part of a stored result", async () => {
    const key = { "idempotency-key": `link-${Date.now()}` };
    const first = await aLink("Once", key);
    expect(first.authorizationUrl).toEqual(expect.stringContaining("/integrations/oauth/start/"));
    expect((await aLink("Once", key)).authorizationUrl).toBeNull();
    const path = `POST /integrations/connections/${first.connectionId}/reauthorize`;
    const { body } = await request<Answer>(path, { token, body: {} });
    expect((await arrived(first.authorizationUrl)).page.status).toBe(410);
    expect((await arrived(body.authorizationUrl)).page.status).toBe(200);
  });

  it("is not reauthorized by people in another mode", async () => {
    const connectionId = await aConnection(token, providerId);
    const answer = await request(`POST /integrations/connections/${connectionId}/reauthorize`, { token, body: {} });
    expect([answer.status, answer.body]).toEqual([422, expect.objectContaining({ code: "AUTH_MODE_NOT_SUPPORTED" })]);
  });
});

describe("the way of a person", () => {
  it("cannot be begun by the page of another site, and a link is used once", async () => {
    const { authorizationUrl } = await aLink();
    const { browser, page } = await arrived(authorizationUrl);
    const formToken = /name="formToken" value="([\w-]+)"/.exec(page.text)?.[1] ?? "";
    expect((await browser.post(page.url, new URLSearchParams({ formToken }))).status).toBe(403);
    expect((await new Browser(platform().publicUrl).submit(page, {})).status).toBe(403);
    expect((await browser.submit(page, { formToken: "x".repeat(43) })).status).toBe(403);
    await atTheVendor(browser, page);
    expect((await browser.submit(page, {})).status).toBe(410);
  });

  it("ends only in the browser that began, and that browser can still end it", async () => {
    const { connectionId, authorizationUrl } = await aLink();
    const { browser, page } = await arrived(authorizationUrl);
    const back = await atTheVendor(browser, page);
    expect((await new Browser(platform().publicUrl).open(back)).status).toBe(403);
    const other = await arrived((await aLink()).authorizationUrl);
    expect((await other.browser.open(back)).status).toBe(403);
    expect(await tokensOf(connectionId)).toBe(0);
    expect((await browser.open(back)).status).toBe(200);
  });

  it("ends without tokens when the person refuses, without showing what the vendor wrote", async () => {
    const { connectionId, authorizationUrl } = await aLink();
    const { browser, page } = await arrived(authorizationUrl);
    vendor.oauth.refuseConsent(true);
    const back = await atTheVendor(browser, page);
    vendor.oauth.refuseConsent(false);
    const address = new URL(back);
    address.searchParams.set("error_description", "<script>alert(1)</script>");
    const finalPage = await browser.open(address.href);
    expect([finalPage.status, finalPage.text]).toEqual([
      400,
      "The access was not allowed at the vendor. Nothing was changed.\n",
    ]);
    expect(await tokensOf(connectionId)).toBe(0);
  });

  it.each([
    ["another issuer", (address: URL) => address.searchParams.set("iss", "https://other.example")],
    ["no issuer", (address: URL) => address.searchParams.delete("iss")],
    ["two codes", (address: URL) => address.searchParams.append("code", "other")],
    ["no code", (address: URL) => address.searchParams.delete("code")],
    ["a code that the vendor did not issue", (address: URL) => address.searchParams.set("code", "forged")],
  ])("ends without tokens after an answer with %s", async (_, change) => {
    const { connectionId, authorizationUrl } = await aLink();
    const { browser, page } = await arrived(authorizationUrl);
    const address = new URL(await atTheVendor(browser, page));
    change(address);
    const { status, text } = await browser.open(address.href);
    expect([400, 502]).toContain(status);
    expect(text).not.toContain("forged");
    expect(await tokensOf(connectionId)).toBe(0);
  });

  it("ends only at the callback page of its own provider, and can still end there", async () => {
    const { connectionId, authorizationUrl } = await aLink();
    const { browser, page } = await arrived(authorizationUrl);
    const back = await atTheVendor(browser, page);
    const other = await aProvider(token, { key: "other" });
    expect((await browser.open(back.replace(providerId, other))).status).toBe(410);
    expect(await tokensOf(connectionId)).toBe(0);
    expect((await browser.open(back)).status).toBe(200);
  });

  it("ends at the vendor when a provider of somebody else names its client", async () => {
    const stranger = await (await aTenant()).tokenWith();
    const collector = await aVendor();
    const { authorizationUrl } = vendor.oauth;
    const { tokenUrl } = collector.oauth;
    const trap = await aProvider(stranger, {
      ...{ authModel: "OAuth2", baseUrl: collector.baseUrl },
      driver: { oauth2: { authorizationUrl, tokenUrl, clientAuthentication: "none" } },
    });
    const secret = { clientId: vendor.oauth.basic.clientId, clientSecret: "unknown" };
    const client = await aCredential(stranger, { kind: "OAuth2Client", secret });
    const body = { providerId: trap, displayName: "Mail", authMode, credentialRef: client.credentialRef };
    const { body: connection } = await request<Answer>("POST /integrations/connections", { token: stranger, body });
    const { browser, page } = await arrived(connection.authorizationUrl);
    for (const host of [authorizationUrl, tokenUrl].map((url) => new URL(url).host))
      expect(page.text).toContain(`<strong>${host}</strong>`);
    const response = await browser.submit(page, {});
    const refusal = await new Browser(issuer).open(response.url);
    expect([refusal.status, new URL(refusal.url).origin]).toEqual([400, issuer]);
    expect(refusal.text).toContain("redirect_uri");
    await collector.close();
  });

  it("waits while the provider is disabled, at the link and on the way back", async () => {
    const { connectionId, authorizationUrl } = await aLink();
    const other = await aLink();
    const { browser, page } = await arrived(authorizationUrl);
    const back = await atTheVendor(browser, page);
    const become = (status: string) =>
      rows("update integration.providers set status = $2 where provider_id = $1", [
        decodeId("prv", providerId),
        status,
      ]);
    await become("Disabled");
    try {
      for (const visit of [await browser.open(back), (await arrived(other.authorizationUrl)).page])
        expect([visit.status, visit.text]).toEqual([409, expect.stringContaining("is Disabled")]);
      expect(await tokensOf(connectionId)).toBe(0);
    } finally {
      await become("Registered");
    }
    expect((await browser.open(back)).status).toBe(200);
  });

  it("ends after 10 minutes, at the link and at the vendor", async () => {
    const late = await aLink();
    await expire(late.connectionId);
    expect((await arrived(late.authorizationUrl)).page.status).toBe(410);
    const later = await aLink();
    const { browser, page } = await arrived(later.authorizationUrl);
    const back = await atTheVendor(browser, page);
    await expire(later.connectionId);
    expect((await browser.open(back)).status).toBe(410);
    expect(await tokensOf(later.connectionId)).toBe(0);
  });

  it("ends with a text at every other address", async () => {
    const { publicUrl } = platform();
    for (const [path, status] of [
      ["/integrations/oauth/start/short", 404],
      [`/integrations/oauth/start/${"x".repeat(43)}`, 410],
      ["/integrations/oauth/callback", 404],
      [`/integrations/oauth/callback?state=${"x".repeat(43)}&code=1`, 404],
      [`/integrations/oauth/callback/${providerId}`, 400],
      [`/integrations/oauth/callback/${providerId}?state=${"x".repeat(43)}&code=1`, 410],
      [`/integrations/oauth/callback/${providerId}/x?state=${"x".repeat(43)}&code=1`, 404],
      ["/integrations/oauth/nothing", 404],
    ] as const) {
      const answer = await fetch(publicUrl + path);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        status,
        "text/plain; charset=utf-8",
      ]);
    }
  });
});
