import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { QueryConfig } from "pg";
import { hashPassword, PasswordsBusyError } from "../../../people/users/password-hash.js";
import { aUser, type TestUser } from "../../../people/users/user.fixture.js";
import { platformAdmin, RunningSpine, testSettings } from "../../../running-spine.fixture.js";
import { startSpine } from "../../../subgraph.js";
import { findRegisteredClient } from "../client-authentication/registered-client.js";
import { authorizeLifetimes } from "./authorize-settings.js";
import { consentTerms } from "./consent-terms.js";

let platform: RunningSpine;
let base: string;
let clientId: string;
let user: TestUser;

const redirectUri = "https://app.example/callback";

beforeAll(async () => {
  platform = await RunningSpine.start();
  base = await platform.listen();
  const tenantId = await platform.activeTenant("acme");
  user = await aUser(platform, tenantId, ["templates.read"]);
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId } }`,
    {
      tenantId,
      input: {
        name: "App",
        scopes: ["templates.read"],
        grantTypes: ["authorization_code"],
        redirectUris: [redirectUri],
        public: true,
        firstParty: true,
      },
    },
  );
  clientId = data?.["createTenantApiClient"].clientId;
});

afterAll(() => platform?.stop());

function authorizePathAndQuery(): string {
  const parameters = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: redirectUri,
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  return `/connect/authorize?${parameters.toString()}`;
}

/** A sign-in that has come as far as its page; takes passwords. */
async function aSignIn(): Promise<(password: string) => Promise<Response>> {
  const start = await fetch(`${base}${authorizePathAndQuery()}`, { redirect: "manual" });
  const cookie = start.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const address = `${base}${new URL(start.headers.get("location") ?? "").pathname}`;
  const page = await (await fetch(address, { headers: { cookie } })).text();
  const [, formToken = ""] = /name="formToken" value="([\w-]+)"/.exec(page) ?? [];
  return (password) =>
    fetch(address, {
      method: "POST",
      redirect: "manual",
      headers: { cookie },
      body: new URLSearchParams({ formToken, username: user.email, password, action: "sign-in" }),
    });
}

describe("the authorization endpoint of an https issuer", () => {
  it("sets cookies that another host or an HTTP connection cannot set, for any headers of a proxy", async () => {
    const issuer = "https://factory.example";
    const spine = await startSpine(platform.host, { ...testSettings, issuer });
    const front = createServer((request, response) => spine.authorizationServer.handle(request, response));
    front.listen(0, "127.0.0.1");
    await once(front, "listening");
    try {
      const { port } = front.address() as AddressInfo;
      const headers = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" };
      const start = await fetch(`http://127.0.0.1:${port}${authorizePathAndQuery()}`, { redirect: "manual", headers });
      expect(start.headers.get("location")).toMatch(/^https:\/\/factory\.example\/connect\/interaction\/[\w-]+$/);
      const cookies = start.headers.getSetCookie();
      expect(cookies.map((cookie) => cookie.split("=", 1)[0])).toEqual([
        "__Secure-interaction",
        "__Secure-interaction.sig",
        "__Secure-resume",
        "__Secure-resume.sig",
      ]);
      for (const cookie of cookies) expect(cookie.toLowerCase()).toContain("; secure; httponly");
      const cookie = cookies.map((line) => line.split(";", 1)[0]).join("; ");
      const address = `http://127.0.0.1:${port}${new URL(start.headers.get("location") ?? "").pathname}`;
      const page = await (await fetch(address, { headers: { cookie } })).text();
      const [, formToken = ""] = /name="formToken" value="([\w-]+)"/.exec(page) ?? [];
      const body = new URLSearchParams({ formToken, username: user.email, password: user.password, action: "sign-in" });
      const signedIn = await fetch(address, { method: "POST", redirect: "manual", headers: { cookie }, body });
      const resume = new URL(signedIn.headers.get("location") ?? "");
      expect(resume.origin).toBe(issuer);
      const end = await fetch(`http://127.0.0.1:${port}${resume.pathname}`, {
        redirect: "manual",
        headers: { cookie },
      });
      expect(end.headers.get("location")).toMatch(/^https:\/\/app\.example\/callback\?code=/);
      const session = end.headers.getSetCookie().find((line) => line.startsWith("__Host-session="));
      expect(session?.toLowerCase()).toMatch(/path=\/;.*secure; httponly/);
      expect(session).not.toContain("domain");
    } finally {
      front.close();
      await spine.close();
    }
  });
});

describe("a session", () => {
  it("lasts twelve hours without use, and at most seven days after the sign-in", () => {
    const now = Math.floor(Date.now() / 1000);
    const dayS = 86_400;
    expect(authorizeLifetimes.Session(undefined, {})).toBe(dayS / 2);
    expect(authorizeLifetimes.Session(undefined, { loginTs: now })).toBe(dayS / 2);
    expect(authorizeLifetimes.Session(undefined, { loginTs: now - 6.75 * dayS })).toBeLessThanOrEqual(dayS / 4);
    expect(authorizeLifetimes.Session(undefined, { loginTs: now - 8 * dayS })).toBe(1);
  });
});

describe("the terms of a consent", () => {
  it("contain the redirect URIs with which the request was checked, also if they were changed back later", async () => {
    const { admin } = platform;
    const reads = { query: async <R>(statement: QueryConfig) => (await admin.query(statement)).rows as R[] };
    const client = await findRegisteredClient(reads, clientId);
    if (!client) throw new Error("The client is gone");
    const agreedTo = await consentTerms(admin, client);
    expect(await consentTerms(admin, { ...client, redirectUris: ["https://evil.example/"] })).not.toBe(agreedTo);
    expect(await consentTerms(admin, { ...client, redirectUris: [...client.redirectUris] })).toBe(agreedTo);
  });
});

describe("the sign-in page", () => {
  it("asks the user to wait while too many users sign in", async () => {
    const attempt = await aSignIn();
    // a served caller comes back at once, so that no other caller gets the place, however slow this machine is
    let stays = true;
    const crowd = Array.from({ length: 210 }, async () => {
      while (stays) {
        const outcome = await hashPassword("somebody else's").catch((error: unknown) => error);
        if (outcome instanceof PasswordsBusyError) await setTimeout(5);
      }
    });
    const answer = await attempt(user.password);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.text()).toContain("Too many people are signing in at the same time. Try again in a second.");
    stays = false;
    await Promise.all(crowd);
    expect((await attempt(user.password)).status).toBe(303);
  });

  it("stops guessing: after ten wrong passwords the correct one must wait too", async () => {
    const attempt = await aSignIn();
    for (let time = 0; time < 10; time += 1) expect((await attempt(`no ${time}`)).status).toBe(400);
    const answer = await attempt(user.password);
    expect([answer.status, Number(answer.headers.get("retry-after")) > 800]).toEqual([429, true]);
    expect(await answer.text()).toContain("Too many attempts. Try again in 15 minutes.");
  });
});
