import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { type GrpcServer, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { grpcService } from "@factory/runtime/grpc/grpc-service";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { UsageDefinition } from "@factory/schema/proto/generated/factory/spine/v1/usage";
import { usageMeter } from "./usage-meter.js";

const use = { tenantId: newId("ten"), featureKey: "executions.monthly", key: newId("exe") };

describe("the usage meter", () => {
  let folder: string;
  let certificates: ServiceCertificates;
  let server: GrpcServer;
  let silent: Server;
  let refusal: DomainError;
  const channels: GrpcChannel[] = [];
  const sockets: Socket[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "usage-"));
    certificates = await serviceCertificates(folder);
    const consume = async (): Promise<never> => {
      throw refusal;
    };
    server = await startGrpcServer({
      host: "127.0.0.1",
      port: 0,
      certificate: certificates.spine,
      services: [grpcService(UsageDefinition, { consume, release: async () => ({}) }, ["catalog"])],
      reflection: false,
      logger: createLogger("test", "silent"),
    });
    silent = createServer((socket) => sockets.push(socket.resume()));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  });

  afterAll(async () => {
    for (const channel of channels) channel.close();
    await server.stop();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
    await rm(folder, { recursive: true });
  });

  const meterOf = (port: number, timeoutMs = 30_000) => {
    const address = `127.0.0.1:${port}`;
    const channel = new GrpcChannel({ address, server: "spine", certificate: certificates.catalog, timeoutMs });
    channels.push(channel);
    return usageMeter(channel);
  };
  const silentPort = () => (silent.address() as { port: number }).port;

  it.each(["QUOTA_EXCEEDED", "ENTITLEMENT_DENIED"] as const)("passes on %s with its facts", async (code) => {
    refusal = new DomainError(code, { detail: "The plan is used up.", featureKey: use.featureKey });
    await expect(meterOf(server.port).consume(use)).rejects.toMatchObject({
      code,
      facts: { detail: "The plan is used up.", featureKey: use.featureKey },
    });
  });

  it.each([
    ["is gone", () => 1],
    ["does not answer", silentPort],
    [
      "fails",
      () => {
        refusal = new DomainError("INTERNAL");
        return server.port;
      },
    ],
  ])("answers UNAVAILABLE with a time for the next attempt when the spine %s", async (_what, port) => {
    await expect(meterOf(port(), 500).consume(use)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      facts: { retryAfterSeconds: 5 },
    });
  });
});
