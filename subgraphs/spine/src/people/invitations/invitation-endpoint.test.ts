import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findClientAddress, TrustedProxies } from "@factory/runtime/ingress/client-address";
import { tenantScopes } from "@factory/schema/scopes";
import { principal, RunningSpine, until } from "../../running-spine.fixture.js";

let platform: RunningSpine;
let outbox: string;
let tenantId: string;
let server: Server;
let base: string;

beforeAll(async () => {
  outbox = await mkdtemp(join(tmpdir(), "outbox-"));
  platform = await RunningSpine.start({ mail: { outbox } });
  tenantId = await platform.activeTenant("pages");
  const proxies = new TrustedProxies(["127.0.0.1"]);
  server = createServer((request, response) => {
    findClientAddress(request, proxies);
    platform.spine.authorizationServer.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.close();
  await platform?.stop();
  await rm(outbox, { recursive: true, force: true });
});

let count = 0;

async function invited(): Promise<{ email: string; token: string }> {
  const email = `page-${(count += 1)}@people.example`;
  const input = { email, roleCodes: ["Viewer"], displayName: "<b>Ada</b>" };
  const by = principal(tenantId, tenantScopes);
  await platform.ask(by, "mutation ($input: InviteUserInput!) { inviteUser(input: $input) { status } }", { input });
  let token = "";
  await until(async () => {
    const files = (await readdir(outbox)).filter((file) => file.endsWith(".eml"));
    const texts = await Promise.all(files.map((file) => readFile(join(outbox, file), "utf8")));
    const mail = texts
      .find((text) => text.includes(`To: ${email}`))
      ?.replaceAll("=\r\n", "")
      .replaceAll("=3D", "=");
    token = /\/connect\/invitation\?token=([\w-]{43})/.exec(mail ?? "")?.[1] ?? "";
    return token !== "";
  });
  return { email, token };
}

async function page(answer: Response): Promise<{ status: number; text: string; headers: Headers }> {
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const open = async (token: string) =>
  page(await fetch(`${base}/connect/invitation?token=${encodeURIComponent(token)}`));

const send = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  page(await fetch(`${base}/connect/invitation`, { method: "POST", body: new URLSearchParams(fields), headers }));

describe("the page of an invitation", () => {
  it("shows the invited address, runs no script and leaks no token", async () => {
    const { email, token } = await invited();
    const { status, text, headers } = await open(token);
    expect(status).toBe(200);
    expect(text).toContain("Join Tenant pages");
    expect(text).toContain(email);
    expect(text).toContain("&lt;b&gt;Ada&lt;/b&gt;");
    expect(text).not.toContain("<script");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    for (const name of ["displayName", "password"]) expect(text).toContain(`<label for="${name}">`);
  });

  it("creates the user once", async () => {
    const { email, token } = await invited();
    const answer = await send({ token, displayName: " Ada ", password: "correct horse battery" });
    expect([answer.status, answer.text.includes("You have joined")]).toEqual([200, true]);
    const { rows } = await platform.admin.query("select display_name, status from users where email = $1", [email]);
    expect(rows).toEqual([{ display_name: "Ada", status: "Active" }]);
    expect((await send({ token, displayName: "", password: "correct horse battery" })).status).toBe(409);
    expect((await open(token)).status).toBe(409);
  });

  it("shows the problem at the field and keeps the entered values", async () => {
    const { email, token } = await invited();
    for (const password of ["short", "x".repeat(129), "password1", email, "\u0000".repeat(9)]) {
      const { status, text } = await send({ token, displayName: "Grace", password });
      expect([password, status]).toEqual([password, 422]);
      expect(text).toContain('role="alert"');
      expect(text).toContain('aria-describedby="password-hint password-wrong"');
      expect(text).toContain('value="Grace"');
      if (password !== email) expect(text).not.toContain(`value="${password}"`);
    }
    expect((await send({ token, displayName: "x".repeat(201), password: "correct horse battery" })).status).toBe(422);
  });

  it("answers wrong or expired links, and forms from another site", async () => {
    const { email, token } = await invited();
    expect((await open("nothing")).status).toBe(404);
    expect((await open("")).status).toBe(404);
    const form = { token, displayName: "", password: "correct horse battery" };
    expect((await send(form, { origin: "https://evil.example" })).status).toBe(400);
    await platform.admin.query("update invitations set expires_at = now() where email = $1", [email]);
    expect((await open(token)).status).toBe(410);
    expect((await send(form)).status).toBe(410);
    expect((await page(await fetch(`${base}/connect/invitation`, { method: "PUT" }))).status).toBe(405);
  });

  it("answers 429 to an address with too many attempts", async () => {
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 61; attempt += 1) statuses.add((await open("guess")).status);
    expect([...statuses]).toEqual([404, 429]);
  });

  it("limits callers behind one proxy separately", async () => {
    const statusFor = async (address: string) =>
      (await fetch(`${base}/connect/invitation?token=x`, { headers: { "x-forwarded-for": address } })).status;
    const greedy = await Promise.all(Array.from({ length: 61 }, () => statusFor("192.0.2.1")));
    expect(greedy.filter((status) => status === 429)).toHaveLength(1);
    expect(await statusFor("192.0.2.2")).toBe(404);
  });
});
