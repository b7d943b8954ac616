import { executed } from "../kit/executions.js";
import { aGitServer, type GitServer } from "../kit/git-server.js";
import { aSmallPack } from "../kit/packs.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const password = `canary-${Math.random().toString(36).slice(2)}`;

let token: string;
let stranger: string;
let executor: string;
let version: TestVersion;
let host: GitServer;

const credential = (name: string, secret: object, kind: string, as = token) =>
  request("POST /integrations/credentials", { token: as, body: { name, kind, secret } });

beforeAll(async () => {
  const tenant = await aTenant();
  token = await tenant.tokenWith();
  executor = await tenant.tokenWith("templates.read", "templates.execute");
  stranger = await (await aTenant()).tokenWith();
  version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
  host = await aGitServer({ username: "robot", password });
  expect((await credential("git-host", { username: "robot", password }, "Basic")).status).toBe(201);
  await credential("bound", { username: "robot", password, hosts: [host.host] }, "Basic");
  await credential("for-others", { username: "robot", password, hosts: ["git.example"] }, "Basic");
  await credential("old-password", { username: "robot", password: "changed" }, "Basic");
  await credential("git-host", { username: "robot", password: "not mine" }, "Basic", stranger);
  await credential("hooks", { signingSecret: `whsec_${Buffer.alloc(24, 7).toString("base64")}` }, "WebhookSigning");
});
afterAll(() => host.close());

const into = (credentialRef: string | undefined, branch = "main", as = token) =>
  executed(as, version, {
    parameters: { name: "Orders" },
    target: { repository: host.url, branch, ...(credentialRef === undefined ? {} : { credentialRef }) },
  });

describe("target.credentialRef", () => {
  it("authenticates at another git host with the secret of the tenant, which is never shown", async () => {
    const execution = await into("secret://git-host");
    expect(execution).toMatchObject({ status: "Completed", output: { changed: true } });
    expect(await host.git("show", "main:Orders/Orders.csproj")).toContain("net8.0");
    expect(JSON.stringify(execution)).not.toContain(password);
    expect(
      host.credentials.every((header) => header.includes(Buffer.from(`robot:${password}`).toString("base64"))),
    ).toBe(true);
  });

  it.each([
    ["no credential", undefined, "TARGET_FORBIDDEN"],
    ["a wrong password", "old-password", "TARGET_FORBIDDEN"],
    ["a credential without a login", "hooks", "TARGET_FORBIDDEN"],
    ["a credential for other hosts", "for-others", "TARGET_FORBIDDEN"],
    ["an unknown credential", "secret://nobody", "CREDENTIAL_NOT_FOUND"],
  ])("fails the execution with %s", async (_, credentialRef, code) => {
    const execution = await into(credentialRef, "refused");
    expect(execution).toMatchObject({ status: "Failed", error: { code } });
    expect(await host.git("branch", "--list", "refused")).toBe("");
  });

  it("lets a token that may only execute send a credential only to the hosts that it names", async () => {
    expect(await into("bound", "bound", executor)).toMatchObject({ status: "Completed" });
    const { templateId, templateVersionId } = version;
    const refusalOf = async (repository: string, credentialRef: string) => {
      const body = { templateVersionId, parameters: { name: "Orders" }, target: { repository, credentialRef } };
      return refusal(await request(`POST /v1/templates/${templateId}/execute`, { token: executor, body }));
    };
    const credentialCount = host.credentials.length;
    expect(await refusalOf(host.url, "git-host")).toBe("403 INSUFFICIENT_SCOPE");
    expect(await refusalOf(host.url, "for-others")).toBe("422 TARGET_INVALID");
    expect(await refusalOf("https://evil.example/x.git", "bound")).toBe("422 TARGET_INVALID");
    expect(host.credentials).toHaveLength(credentialCount);
  });

  it("is refused at once when it cannot be used or is not a reference", async () => {
    const { templateId, templateVersionId } = version;
    const refusalOf = async (target: object) =>
      refusal(
        await request(`POST /v1/templates/${templateId}/execute`, { token, body: { templateVersionId, target } }),
      );
    expect(await refusalOf({ repository: "acme/own", credentialRef: "git-host" })).toBe("422 TARGET_INVALID");
    expect(await refusalOf({ repository: host.url, credentialRef: 7 })).toBe("400 VALIDATION_FAILED");
    expect(await refusalOf({ repository: host.url, credentialRef: "a b\n" })).toBe("400 VALIDATION_FAILED");
  });
});
