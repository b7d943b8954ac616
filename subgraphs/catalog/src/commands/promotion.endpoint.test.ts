import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "@factory/runtime/auth/principal";
import { aTokenIssuer } from "@factory/runtime/auth/token-issuer.fixture";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { type GrpcServer, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { platformIdentities, type ServiceIdentity } from "@factory/runtime/grpc/service-identity";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { PromotionDefinition } from "@factory/schema/proto/generated/factory/catalog/v1/promotion";
import type { Scope } from "@factory/schema/scopes";
import { aPrincipal, type CatalogFixture, startCatalogFixture } from "../catalog.fixture.js";

const tokens = await aTokenIssuer();

describe("factory.catalog.v1.Promotion", () => {
  let folder: string;
  let certificates: ServiceCertificates;
  let fixture: CatalogFixture;
  let server: GrpcServer;
  let actor: Principal;
  const channels: GrpcChannel[] = [];
  const logger = createLogger("test", "silent");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "promotion-"));
    [fixture, certificates] = await Promise.all([startCatalogFixture(tokens.verifier), serviceCertificates(folder)]);
    server = await startServer(fixture);
  });

  afterAll(async () => {
    for (const channel of channels) channel.close();
    await server.stop();
    await fixture.close();
    await rm(folder, { recursive: true });
  });

  beforeEach(() => {
    actor = aPrincipal();
  });

  const startServer = ({ catalog }: CatalogFixture) =>
    startGrpcServer({
      host: "127.0.0.1",
      port: 0,
      certificate: certificates.gateway,
      services: catalog.grpcServices,
      reflection: false,
      logger,
    });
  const clientAs = (identity: ServiceIdentity = "spine", { port } = server) => {
    const address = `127.0.0.1:${port}`;
    const channel = new GrpcChannel({ address, server: "gateway", certificate: certificates[identity] });
    channels.push(channel);
    return channel.client(PromotionDefinition);
  };
  const bearing = async (more: Record<string, string> = {}, ...scopes: Scope[]) => {
    const by = scopes.length > 0 ? { ...actor, scopes: new Set(scopes) } : actor;
    return { headers: { authorization: `Bearer ${await tokens.sign(by)}`, ...more } };
  };

  it("answers every service of the platform", async () => {
    const request = { libraryVersionId: newId("lbv") };
    for (const identity of platformIdentities)
      await expect(clientAs(identity).publishLibraryVersion(request, await bearing())).rejects.toMatchObject({
        code: "LIBRARY_VERSION_NOT_FOUND",
      });
  });

  it("moves versions of templates on", async () => {
    const [templateVersionId, other] = [await fixture.aTemplateVersion(actor), await fixture.aTemplateVersion(actor)];
    const client = clientAs();
    const publishAnswer = await client.publishTemplateVersion({ templateVersionId }, await bearing());
    expect(publishAnswer.templateVersion).toMatchObject({
      templateVersionId,
      semanticVersion: "1.0.0",
      status: "Published",
    });
    const deprecateAnswer = await client.deprecateTemplateVersion(
      { templateVersionId, reason: "Legacy", message: "Old.", replacementTemplateVersionId: other },
      await bearing(),
    );
    expect(deprecateAnswer.templateVersion?.status).toBe("Deprecated");
  });

  it("moves versions of libraries on", async () => {
    const libraryVersionId = await fixture.aLibraryVersion(actor);
    const client = clientAs();
    const call = await bearing({}, "libraries.publish");
    const alternatePackage = { packageName: "Acme.Newer" };
    const { libraryVersion } = await client.publishLibraryVersion({ libraryVersionId }, call);
    expect(libraryVersion).toMatchObject({ libraryVersionId, status: "Published" });
    const deprecation = { libraryVersionId, reason: "Other", alternatePackage };
    expect((await client.deprecateLibraryVersion(deprecation, call)).libraryVersion?.status).toBe("Deprecated");
    const recall = { libraryVersionId, reason: "Recalled." };
    expect((await client.retireLibraryVersion(recall, call)).libraryVersion?.status).toBe("Retired");
  });

  it("advises on upgrades", async () => {
    const [older, newer] = ["1.0.0", "1.1.0"];
    const packageName = await fixture.aLibrary(actor, [older, newer]);
    const call = await bearing({}, "libraries.read");
    const advice = await clientAs().upgradeAdvice(
      { runtime: "net10.0", libraries: [{ packageName, version: older }] },
      { ...call, timeoutMs: 20_000 },
    );
    expect(advice).toMatchObject({
      complete: true,
      upgrades: [{ packageName, from: older, to: newer, jump: "Minor", newest: newer, verified: true }],
      proposal: { compatible: true, changes: [{ packageName, from: older, to: newer }] },
    });
  });

  it("scans the dependencies of a set, and refuses what GraphQL refuses", async () => {
    const packageName = await fixture.aLibrary(actor, ["1.0.0"]);
    const call = await bearing({}, "templates.execute", "libraries.read");
    const libraries = [
      { packageName, version: "1.0.0" },
      { packageName: "Foreign", version: "2.0.0" },
    ];
    const scan = await clientAs().scanDependencies({ runtime: "net10.0", libraries }, { ...call, timeoutMs: 20_000 });
    expect(scan).toMatchObject({
      dependencyScanId: expect.stringMatching(/^scn_/),
      complete: true,
      limits: [],
      packages: [
        { packageName, version: "1.0.0", direct: true, status: "Published", frameworks: ["net10.0"] },
        { packageName: "Foreign", version: "2.0.0", status: "Unknown" },
      ],
    });
    expect(scan.packages[0]?.license).toBeUndefined();
    const executing = await bearing({}, "templates.execute");
    await expect(clientAs().scanDependencies({ runtime: "net10.0", libraries }, executing)).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    await expect(clientAs().scanDependencies({}, call)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    await expect(clientAs().scanDependencies({ runtime: "x", libraries }, call)).rejects.toMatchObject({
      code: "RUNTIME_NOT_RECOGNISED",
    });
    await expect(clientAs().scanDependencies({ templateVersionId: newId("tpv") }, call)).rejects.toMatchObject({
      code: "TEMPLATE_VERSION_NOT_FOUND",
    });
    const many = Array.from({ length: 201 }, () => ({ packageName, version: "1.0.0" }));
    await expect(clientAs().scanDependencies({ runtime: "net10.0", libraries: many }, call)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
    });
  });

  it("goes on with the trace and acts as the holder of the token", async () => {
    const libraryVersionId = await fixture.aLibraryVersion(actor);
    const trace = continueTrace(undefined);
    await clientAs().publishLibraryVersion({ libraryVersionId }, { ...(await bearing()), trace });
    const [event] = await fixture.rows<{ envelope: unknown }>(
      "select envelope from catalog.outbox where type = 'LibraryVersionPublished' and envelope->>'traceid' = $1",
      trace.traceId,
    );
    expect(event?.envelope).toMatchObject({ actorid: actor.subject, tenantid: actor.tenantId });
  });

  it("takes effect once under an idempotency key, and says so the second time", async () => {
    const libraryVersionId = await fixture.aLibraryVersion(actor);
    const client = clientAs();
    const replays: unknown[] = [];
    const call = async () => ({
      ...(await bearing({ "idempotency-key": "once" })),
      onTrailer: (trailer: { get(name: string): unknown }) => void replays.push(trailer.get("idempotent-replayed")),
    });
    const first = await client.publishLibraryVersion({ libraryVersionId }, await call());
    expect(await client.publishLibraryVersion({ libraryVersionId }, await call())).toEqual(first);
    expect(replays).toEqual([undefined, "true"]);
    const another = client.publishLibraryVersion({ libraryVersionId: newId("lbv") }, await call());
    await expect(another).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("refuses what GraphQL refuses, with the same codes", async () => {
    const client = clientAs();
    const call = await bearing();
    const unvalidatedVersionId = await fixture.aTemplateVersion(actor, { validated: false });
    const elsewhere = await fixture.aTemplateVersion(aPrincipal());
    const waiting = await fixture.aLibraryVersion(actor);
    await expect(
      client.publishTemplateVersion({ templateVersionId: unvalidatedVersionId }, call),
    ).rejects.toMatchObject({
      code: "TEMPLATE_VERSION_NOT_VALIDATED",
    });
    await expect(client.publishTemplateVersion({ templateVersionId: elsewhere }, call)).rejects.toMatchObject({
      code: "TEMPLATE_VERSION_NOT_FOUND",
    });
    await expect(
      client.retireLibraryVersion({ libraryVersionId: waiting, reason: "too early" }, call),
    ).rejects.toMatchObject({ code: "INVALID_STATE" });
    await expect(client.retireLibraryVersion({ libraryVersionId: waiting }, call)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      facts: { errors: [expect.objectContaining({ pointer: "/reason" })] },
    });
    await expect(
      client.retireLibraryVersion({ libraryVersionId: waiting, reason: "a\0b" }, call),
    ).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    await expect(client.importLibraryPackage({ sourceRef: "" }, call)).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
    });
    await expect(client.importLibraryPackage({ sourceRef: "nonsense" }, call)).rejects.toMatchObject({
      code: "SOURCE_REF_INVALID",
    });
    await expect(client.upgradeAdvice({ runtime: "net-eight" }, call)).rejects.toMatchObject({
      code: "RUNTIME_NOT_RECOGNISED",
    });
  });

  it("is not available once the catalog stops, which is before its server does", async () => {
    const another = await startCatalogFixture(tokens.verifier);
    const anotherServer = await startServer(another);
    await another.close();
    const call = clientAs("spine", anotherServer).publishLibraryVersion({}, await bearing());
    await expect(call).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await anotherServer.stop();
  });

  it.each<[keyof ReturnType<typeof clientAs>, Scope]>([
    ["publishTemplateVersion", "templates.publish"],
    ["deprecateTemplateVersion", "templates.publish"],
    ["publishLibraryVersion", "libraries.publish"],
    ["deprecateLibraryVersion", "libraries.publish"],
    ["retireLibraryVersion", "libraries.publish"],
    ["importLibraryPackage", "libraries.write"],
    ["scanDependencies", "templates.execute"],
    ["upgradeAdvice", "libraries.read"],
  ])("%s needs the scope %s", async (method, scope) => {
    const others = [...actor.scopes].filter((otherScope) => otherScope !== scope) as Scope[];
    await expect(clientAs()[method]({}, await bearing({}, ...others))).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    await expect(clientAs()[method]({}, await bearing({}, scope))).rejects.not.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });

  it("publishes nothing for an agent without an approval", async () => {
    const signedToken = async (approvalId?: string) =>
      tokens.sign(
        { ...actor, principalType: "Agent" },
        { agentTaskId: "task-1", act: { sub: "cli_agent" }, approvalId },
      );
    const publish = async (token: string) =>
      clientAs().publishLibraryVersion(
        { libraryVersionId: newId("lbv") },
        { headers: { authorization: `Bearer ${token}` } },
      );
    await expect(publish(await signedToken())).rejects.toMatchObject({ code: "APPROVAL_REQUIRED" });
    await expect(publish(await signedToken("apr_1"))).rejects.toMatchObject({ code: "LIBRARY_VERSION_NOT_FOUND" });
  });

  describe("refuses a caller", () => {
    const attempt = (headers: Record<string, string>) =>
      clientAs().publishLibraryVersion({ libraryVersionId: newId("lbv") }, { headers });

    it("without a token", async () => {
      await expect(attempt({})).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
      await expect(attempt({ authorization: "Basic YTpi" })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    });

    it("that names another tenant than its token", async () => {
      const wrong = await bearing({ "x-tenant-id": newId("ten") });
      await expect(attempt(wrong.headers)).rejects.toMatchObject({ code: "TENANT_MISMATCH" });
      const right = await bearing({ "x-tenant-id": actor.tenantId ?? "" });
      await expect(attempt(right.headers)).rejects.toMatchObject({ code: "LIBRARY_VERSION_NOT_FOUND" });
    });

    it("whose token is bound to no tenant", async () => {
      const token = await tokens.sign(actor, { tenantId: undefined });
      await expect(attempt({ authorization: `Bearer ${token}` })).rejects.toMatchObject({ code: "TENANT_REQUIRED" });
    });

    it.each(tokens.attacks)("with a forged token: %s", async (_what, forge, code) => {
      await expect(attempt({ authorization: `Bearer ${await forge(actor)}` })).rejects.toMatchObject({ code });
    });
  });
});
