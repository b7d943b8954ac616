import { tmpdir } from "node:os";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { PlatformFolder } from "@factory/runtime/files/platform-folder";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { noSourceControl } from "../../git/source-control/source-control.js";
import { RemoteCredentials } from "../../sources/remote-credentials/remote-credentials.js";
import { TargetResolver } from "./target-resolver.js";

const trace = continueTrace(undefined);
const secrets: Record<string, { kind: string; material: Record<string, unknown> }> = {
  free: { kind: "BearerToken", material: { token: "sesame" } },
  bound: { kind: "BearerToken", material: { token: "sesame", hosts: ["Git.Example"] } },
  nowhere: { kind: "Custom", material: { token: "sesame", hosts: "git.example" } },
  ssh: { kind: "SshKey", material: { privateKey: "k", knownHosts: "h" } },
};
const credentials = new RemoteCredentials({
  resolve: async (_, credentialRef) => {
    const secret = secrets[credentialRef];
    if (!secret) throw new DomainError("CREDENTIAL_NOT_FOUND");
    return { version: 1, ...secret };
  },
});
const resolver = new TargetResolver({
  store: {
    roots: [],
    disk: new PlatformFolder("DATA_DIR", tmpdir()),
    find: async () => undefined,
    open: () => Promise.reject(new Error("These tests open no target")),
  },
  policy: { allowFile: false, fileRoots: [], allowLoopback: true, allowSsh: true, allowHosts: ["git.example"] },
  publicUrl: "http://localhost",
  credentials,
  sourceControl: {
    ...noSourceControl,
    locate: async ({ repository }) => ({ gitUrl: `https://git.example/${repository}.git`, providerId: newId("prv") }),
  },
});

const caller = (...scopes: string[]) => {
  const principal: Principal = {
    subject: "someone",
    clientId: "client",
    tenantId: newId("ten"),
    tenantSlug: "acme",
    scopes: new Set(scopes),
    principalType: "Service",
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: "1",
    expiresAt: 1,
  };
  return requestContext({ principal, trace });
};

describe("naming a credential for a target", () => {
  const executor = caller("templates.execute");
  const manager = caller("templates.execute", "integration.credentials.write");

  it.each([
    ["free", "https://evil.example/r.git", "INSUFFICIENT_SCOPE"],
    ["bound", "https://evil.example/r.git", "TARGET_INVALID"],
    ["bound", "https://git.example.evil.example/r.git", "TARGET_INVALID"],
    ["bound", "https://git.example:8443/r.git", "TARGET_INVALID"],
    ["bound", "http://git.example/r.git", "TARGET_INVALID"],
    ["nowhere", "https://git.example/r.git", "TARGET_INVALID"],
    ["unknown", "https://git.example/r.git", "CREDENTIAL_NOT_FOUND"],
  ])("is refused to who may only execute: %s for %s", async (credentialRef, repository, code) => {
    await expect(resolver.accept(executor, { repository, credentialRef })).rejects.toMatchObject({ code });
  });

  it.each([
    ["bound", "https://GIT.example/r.git"],
    ["ssh", "ssh://git@any.example/r.git"],
  ])(
    "needs no further scope where the credential says where it may go: %s for %s",
    async (credentialRef, repository) => {
      await expect(resolver.accept(executor, { repository, credentialRef })).resolves.toMatchObject({ credentialRef });
    },
  );

  it("leaves the choice of the host to who may write credentials, unless the credential names its own", async () => {
    const open = (repository: string, credentialRef: string) =>
      resolver.open(
        {
          tenantId: newId("ten"),
          executionId: newId("exe"),
          repository,
          branch: "main",
          credentialRef,
          connectionId: null,
          traceparent: "",
        },
        AbortSignal.timeout(60_000),
      );
    await expect(
      resolver.accept(manager, { repository: "https://any.example/r.git", credentialRef: "free" }),
    ).resolves.toBeDefined();
    await expect(open("https://any.example/r.git", "bound")).rejects.toMatchObject({ code: "TARGET_FORBIDDEN" });
  });
});

describe("a target that is a connection", () => {
  const allowedCaller = caller("templates.execute", "integration.connections.read");
  const target = { repository: "acme/orders", connectionId: newId("con") };
  const text = (pullRequest: object) => ({ ...target, pullRequest });

  it("is located by its vendor, and is for callers that may read connections", async () => {
    await expect(resolver.accept(allowedCaller, target, "https://base.example")).resolves.toMatchObject({
      repository: "acme/orders",
      cloneUrl: "https://git.example/acme/orders.git",
      branch: "main",
      connection: { connectionId: target.connectionId },
    });
    await expect(resolver.accept(caller("templates.execute"), target)).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });

  it.each([
    ["a credential beside the connection", { ...target, credentialRef: "bound" }],
    ["a pull request without a connection", { repository: "acme/orders", pullRequest: {} }],
    ["a title with two lines", text({ title: "a\nb" })],
    ["a label with a comma", text({ labels: ["a,b"] })],
    ["a label of spaces", text({ labels: [" "] })],
  ])("is refused with %s", async (_, requestedTarget) => {
    await expect(resolver.accept(allowedCaller, requestedTarget)).rejects.toMatchObject({ code: "TARGET_INVALID" });
  });
});
