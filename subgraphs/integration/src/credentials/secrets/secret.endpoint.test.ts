import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "@factory/runtime/auth/principal";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { type GrpcServer, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import type { ServiceIdentity } from "@factory/runtime/grpc/service-identity";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { continueTrace, type Trace } from "@factory/runtime/telemetry/trace";
import { SecretsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/secrets";
import { aPrincipal, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";

const createCredential = `mutation ($input: CreateCredentialInput!) {
  createCredential(input: $input) { credentialId credentialRef status }
}`;
const purpose = "scaffold.push";
const subject = `executions/${newId("exe")}`;

describe("integration.v1.Secrets/Resolve", () => {
  let fixture: IntegrationFixture;
  let folder: string;
  let certificates: ServiceCertificates;
  let server: GrpcServer;
  let secrets: ReturnType<typeof resolverFor>;
  const channels: GrpcChannel[] = [];
  const logLines: string[] = [];
  const logger = keepingLogger(logLines);
  const owner = aPrincipal();
  const tenantId = owner.tenantId ?? "";

  const resolverFor = (identity: ServiceIdentity) => {
    const address = `127.0.0.1:${server.port}`;
    const channel = new GrpcChannel({ address, server: "integration", certificate: certificates[identity] });
    channels.push(channel);
    const client = channel.client(SecretsDefinition);
    return {
      async resolve(
        tenantId: string,
        credentialRef: string,
        purpose: string,
        subject: string,
        options: { trace?: Trace } = {},
      ) {
        const answer = await client.resolve({ tenantId, credentialRef, purpose, subject }, options);
        return { ...answer, material: JSON.parse(Buffer.from(answer.material).toString()) as unknown };
      },
    };
  };
  const create = async (input: Record<string, unknown>, principal: Principal = owner) => {
    const { data, errors } = await fixture.run(principal, createCredential, { input });
    expect(errors).toBeUndefined();
    return data?.["createCredential"] as { credentialId: string; credentialRef: string };
  };
  const setStatus = (name: string, status: string) =>
    fixture.rows("update integration.credentials set status = $2 where name = $1", name, status);
  const auditLines = () =>
    logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ purpose: linePurpose }) => linePurpose === purpose);

  beforeAll(async () => {
    fixture = await startIntegrationFixture({}, logger);
    folder = await mkdtemp(join(tmpdir(), "secrets-"));
    certificates = await serviceCertificates(folder);
    server = await startGrpcServer({
      host: "127.0.0.1",
      port: 0,
      certificate: certificates.integration,
      services: fixture.integration.grpcServices,
      reflection: false,
      logger,
    });
    secrets = resolverFor("catalog");
  });

  beforeEach(() => {
    logLines.length = 0;
  });

  afterAll(async () => {
    for (const channel of channels) channel.close();
    await server.stop();
    await fixture.close();
    await rm(folder, { recursive: true });
  });

  it.each(["secret://git/push", "git/push"])("opens the current version of %s", async (reference) => {
    const secret = { username: "robot", password: "correct horse ä" };
    const principal = aPrincipal();
    await create({ name: "git/push", kind: "Basic", secret }, principal);
    expect(await secrets.resolve(principal.tenantId ?? "", reference, purpose, subject)).toEqual({
      kind: "Basic",
      version: 1,
      material: secret,
    });
  });

  it("opens a key for ssh as it was given", async () => {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(folder, "id")]);
    const publicKey = await readFile(join(folder, "id.pub"), "utf8");
    const secret = {
      privateKey: await readFile(join(folder, "id"), "utf8"),
      knownHosts: `git.example.com ${publicKey}`,
    };
    await create({ name: "ssh", kind: "SshKey", secret });
    const { kind, material } = await secrets.resolve(tenantId, "secret://ssh", purpose, subject);
    expect({ kind, material }).toEqual({ kind: "SshKey", material: secret });
  });

  it("names an unknown credential and one of another tenant alike", async () => {
    await create({ name: "theirs", secret: { token: "other-tenants-secret" } }, aPrincipal());
    const refusal = {
      code: "CREDENTIAL_NOT_FOUND",
      facts: { detail: "The credential does not exist in this tenant." },
    };
    await expect(secrets.resolve(tenantId, "theirs", purpose, subject)).rejects.toMatchObject(refusal);
    await expect(secrets.resolve(tenantId, "nobodys", purpose, subject)).rejects.toMatchObject(refusal);
  });

  it.each(["Revoked", "Expired"])("refuses a credential that is %s", async (status) => {
    await create({ name: status, secret: { token: "withdrawn-secret" } });
    await setStatus(status, status);
    await expect(secrets.resolve(tenantId, status, purpose, subject)).rejects.toMatchObject({
      code: "INVALID_STATE",
      facts: { currentState: status },
    });
    expect(auditLines()).toMatchObject([{ msg: "secret refused", code: "INVALID_STATE", credential: status }]);
  });

  it.each(["Rotating", "RotationFailed"])("still opens a credential that is %s", async (status) => {
    await create({ name: status, secret: { token: "current" } });
    await setStatus(status, status);
    expect((await secrets.resolve(tenantId, status, purpose, subject)).material).toEqual({ token: "current" });
  });

  it("refuses a version whose key was destroyed", async () => {
    await create({ name: "destroyed", secret: { token: "gone" } });
    await fixture.rows(
      `update integration.credential_versions version set wrapped_key = null from integration.credentials credential
       where credential.credential_id = version.credential_id and credential.name = 'destroyed'`,
    );
    await expect(secrets.resolve(tenantId, "destroyed", purpose, subject)).rejects.toMatchObject({
      code: "INVALID_STATE",
    });
  });

  it.each([
    ["/credentialRef", "secret://a#v1", purpose, subject],
    ["/credentialRef", "", purpose, subject],
    ["/purpose", "a", "", subject],
    ["/subject", "a", purpose, "one line\nanother"],
    ["/subject", "a", purpose, "x".repeat(201)],
  ])("refuses a malformed %s", async (pointer, ...request) => {
    await expect(secrets.resolve(tenantId, ...request)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      facts: { errors: [expect.objectContaining({ pointer })] },
    });
  });

  it("refuses a tenant id that is none", async () => {
    await expect(secrets.resolve("ten_x", "a", purpose, subject)).rejects.toMatchObject({ code: "TENANT_UNKNOWN" });
  });

  it.each(["spine", "gateway", "integration"] as const)("is closed to %s", async (identity) => {
    await create({ name: `for-${identity}`, secret: { token: "not-for-you" } });
    await expect(resolverFor(identity).resolve(tenantId, `for-${identity}`, purpose, subject)).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });

  it("writes who asked for what, and never the secret, anywhere", async () => {
    const trace = continueTrace(undefined);
    const input = { name: "audited", kind: "BearerToken", secret: { token: "very-visible-secret" } };
    await fixture.run(owner, createCredential, { input }, "a-key");
    await secrets.resolve(tenantId, "audited", purpose, subject, { trace });
    await secrets.resolve(tenantId, "missing", purpose, subject, { trace }).catch(() => undefined);
    const facts = { tenantId, purpose, subject, caller: "catalog", traceId: trace.traceId };
    expect(auditLines()).toMatchObject([
      { ...facts, level: 30, msg: "secret resolved", credential: "audited", version: 1 },
      { ...facts, level: 30, msg: "secret refused", credential: "missing", code: "CREDENTIAL_NOT_FOUND" },
    ]);
    const storedTexts = await fixture.rows<{ all: string }>(
      `select (select string_agg(o::text, '') from integration.outbox o)
         || (select string_agg(i::text, '') from integration.idempotency_records i) as all`,
    );
    expect(storedTexts[0]?.all).toContain("audited");
    expect(logLines.join("") + JSON.stringify(storedTexts)).not.toContain("very-visible-secret");
  });

  it("asks for the material that its kind needs", async () => {
    const refusedPointers = async (kind: string, secret: Record<string, unknown>) => {
      const input = { name: "n", kind, secret };
      const error = (await fixture.run(owner, createCredential, { input })).errors?.[0];
      expect(error?.extensions["code"]).toBe("VALIDATION_FAILED");
      expect(JSON.stringify(error)).not.toContain("visible");
      const errors = (error?.extensions["errors"] ?? []) as { pointer: string }[];
      return errors.map(({ pointer }) => pointer);
    };
    expect(await refusedPointers("SshKey", { username: "-oProxyCommand=x", privateKey: "visible" })).toEqual([
      "/input/secret/username",
      "/input/secret/privateKey",
      "/input/secret/knownHosts",
    ]);
    expect(await refusedPointers("Basic", { username: "a:visible" })).toEqual([
      "/input/secret/username",
      "/input/secret/password",
    ]);
    expect(await refusedPointers("BearerToken", { token: "visible\r\nX: y" })).toEqual(["/input/secret/token"]);
  });
});
