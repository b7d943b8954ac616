import { join } from "node:path";
import { readJson } from "@factory/platform/client/platform-api";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { PromotionDefinition } from "@factory/schema/proto/generated/factory/catalog/v1/promotion";
import { sentCommand } from "../kit/commands.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { forgedTokens } from "../kit/forged-tokens.js";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

interface ReceivedEvent {
  events: { type: string; subjectPath: string; data: unknown };
}

/** The tests promote as the integration service does in a separate process: by gRPC, and by a command on the bus. */
describe("promotion by another service", () => {
  const { dataDir } = platform();
  const channels: GrpcChannel[] = [];
  let address: string;
  let certificates: ServiceCertificates;
  let tenant: TestTenant;
  let token: string;

  const client = () => {
    const { integration: certificate } = certificates;
    const channel = new GrpcChannel({ address, server: "gateway", certificate, timeoutMs: 60_000 });
    channels.push(channel);
    return channel.client(PromotionDefinition);
  };
  const aValidatedVersion = async () => {
    const version = await aTemplateVersion(token, await aTemplateSource());
    const { templateId, templateVersionId } = version;
    await request(`POST /v1/templates/${templateId}/validate`, { token, body: { templateVersionId } });
    return version;
  };

  beforeAll(async () => {
    address = (await readJson<{ grpcAddress: string }>(dataDir, "runtime.json")).grpcAddress;
    certificates = await serviceCertificates(join(dataDir, "tls"));
    tenant = await aTenant();
    token = await tenant.tokenWith();
  });

  afterAll(() => {
    for (const channel of channels) channel.close();
  });

  it("publishes a validated version, and REST shows it", async () => {
    const { templateId, templateVersionId } = await aValidatedVersion();
    const headers = { authorization: `Bearer ${token}`, "x-tenant-id": tenant.tenantId };
    const { templateVersion } = await client().publishTemplateVersion({ templateVersionId }, { headers });
    expect(templateVersion).toMatchObject({ templateId, templateVersionId, status: "Published" });
    const { body } = await request<{ versions: { status: string }[] }>(`GET /v1/templates/${templateId}`, { token });
    expect(body.versions.map(({ status }) => status)).toEqual(["Published"]);
  });

  it("refuses a forged token", async () => {
    for (const [kind, forgery] of Object.entries(await forgedTokens(token))) {
      const call = client().publishTemplateVersion({}, { headers: { authorization: `Bearer ${forgery}` } });
      const refusal = await call.catch((error: unknown) => error);
      expect([kind, refusal]).toEqual([kind, expect.objectContaining({ code: expect.stringMatching(/^TOKEN_/) })]);
    }
  });

  it("allows only the scopes of the token", async () => {
    const headers = { authorization: `Bearer ${await tenant.tokenWith("templates.read")}` };
    await expect(client().publishTemplateVersion({}, { headers })).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });

  it("works over the bus, where a refusal is an event and subscribers receive no commands", async () => {
    const feed = await aFeed<ReceivedEvent>({ token, query: "subscription { events { type subjectPath data } }" });
    const { templateVersionId } = await aValidatedVersion();
    const send = (type: "PublishTemplateVersion" | "RetireLibraryVersion", data: Record<string, unknown>) =>
      sentCommand(tenant.tenantId, type, data);
    await send("PublishTemplateVersion", { templateVersionId });
    const refusedCommand = await send("RetireLibraryVersion", {});
    const types = () => feed.events.map(({ events }) => events.type);
    await eventually("both are answered", () => types().includes("CommandRefused"));
    await feed.stop();
    expect(types()).toContain("TemplateVersionPublished");
    expect(types().filter((type) => type === "PublishTemplateVersion" || type === "RetireLibraryVersion")).toEqual([]);
    const answer = feed.events.find(({ events }) => events.type === "CommandRefused")?.events;
    expect(answer).toMatchObject({
      subjectPath: `commands/${refusedCommand.id}`,
      data: { commandId: refusedCommand.id, command: "RetireLibraryVersion", code: "VALIDATION_FAILED" },
    });
  });
});
