import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "@factory/runtime/auth/principal";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { type GrpcServer, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import type { ServiceIdentity } from "@factory/runtime/grpc/service-identity";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { NotificationTargetsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/notification_targets";
import { aPrincipal, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import { aCommandConnection } from "../vendor-commands/vendor-commands.fixture.js";

describe("integration.v1.NotificationTargets", () => {
  let fixture: IntegrationFixture;
  let folder: string;
  let certificates: ServiceCertificates;
  let server: GrpcServer;
  const channels: GrpcChannel[] = [];
  const logger = createLogger("test", "silent");

  const clientOf = (identity: ServiceIdentity) => {
    const address = `127.0.0.1:${server.port}`;
    const channel = new GrpcChannel({ address, server: "integration", certificate: certificates[identity] });
    channels.push(channel);
    return channel.client(NotificationTargetsDefinition);
  };
  const connectionOf = async ({ tenantId = "" }: Principal, command: string) =>
    (await clientOf("spine").findConnection({ tenantId, command })).connectionId;

  beforeAll(async () => {
    fixture = await sharedIntegration();
    folder = await mkdtemp(join(tmpdir(), "targets-"));
    certificates = await serviceCertificates(folder);
    server = await startGrpcServer({
      ...{ host: "127.0.0.1", port: 0, certificate: certificates.integration, reflection: false, logger },
      services: fixture.integration.grpcServices,
    });
  });
  afterAll(async () => {
    for (const channel of channels) channel.close();
    await server.stop();
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("finds the connection that would carry out a command, in its tenant only", async () => {
    const [owner, stranger] = [aPrincipal(), aPrincipal()];
    const { connectionId } = await aCommandConnection(fixture, owner, {
      capabilities: ["email.send"],
      driver: { smtp: { host: "127.0.0.1", port: 2525, security: "none" } },
    });
    expect(await connectionOf(owner, "SendEmail")).toBe(connectionId);
    expect(await connectionOf(owner, "SendSms")).toBe("");
    expect(await connectionOf(stranger, "SendEmail")).toBe("");
  });

  it("does not find a connection whose driver cannot carry out the command", async () => {
    const owner = aPrincipal();
    await aCommandConnection(fixture, owner, {
      capabilities: ["email.send", "sms.send"],
      baseUrl: "http://127.0.0.1:1",
    });
    expect(await connectionOf(owner, "SendEmail")).toBe("");
  });

  it("tells the event type and the state of a webhook subscription, in its tenant only", async () => {
    const [owner, stranger] = [aPrincipal(), aPrincipal()];
    const { data } = await fixture.run(
      owner,
      "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
      {
        input: { eventType: "NotificationRequested", endpointUrl: "http://127.0.0.1:1/x", signingSecretRef: "targets" },
      },
    );
    const subscriptionId: string = data?.createWebhookSubscription.subscriptionId;
    const find = ({ tenantId = "" }: Principal, id: string) =>
      clientOf("spine").findSubscription({ tenantId, subscriptionId: id });
    expect(await find(owner, subscriptionId)).toEqual({ status: "Active", eventType: "NotificationRequested" });
    const nothing = { status: "", eventType: "" };
    expect(await find(stranger, subscriptionId)).toEqual(nothing);
    for (const id of [newId("whs"), "", "whs_x", "x".repeat(100_000)]) expect(await find(owner, id)).toEqual(nothing);
  });

  it("refuses other commands, malformed tenants and other callers", async () => {
    const { tenantId = "" } = aPrincipal();
    const command = "SendEmail";
    const spine = clientOf("spine");
    await expect(spine.findConnection({ tenantId, command: "ChargePayment" })).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
    });
    await expect(spine.findConnection({ tenantId: "ten_x", command })).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
    });
    for (const identity of ["catalog", "integration", "product"] as const)
      await expect(clientOf(identity).findConnection({ tenantId, command })).rejects.toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
  });
});
