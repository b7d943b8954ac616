import type { Principal } from "@factory/runtime/auth/principal";
import { operationsOn, type StartParts, serveParent } from "@factory/runtime/faults/subgraph-child.fixture";
import { type GrpcServer, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { TenantCopy } from "@factory/runtime/tenant-facts/tenant-copy";
import { CommandSender } from "./commands/vendor-commands/operator-commands.js";
import { KnownTokens } from "./models-and-tools/model-invocation/model-vendor.fixture.js";
import { startIntegration } from "./subgraph.js";

export interface IntegrationChildSettings {
  /** The tenants' facts, as the spine tells them. */
  readonly tenants: readonly TenantCopy[];
}

/** The operations that the process offers to its parent. */
export type IntegrationOperations = Awaited<ReturnType<typeof start>>["operations"];

/** Starts the subgraph, and its gRPC server when the parent asks for that. */
async function start({ host, masterKeys, settings }: StartParts<IntegrationChildSettings | undefined>) {
  const tokens = new KnownTokens();
  const tenants = settings?.tenants ?? [];
  const integration = await startIntegration(host, {
    ...{ masterKeys, allowLoopback: true, verifier: tokens },
    tenantSnapshots: async () => ({
      tenants: async (ids) => tenants.filter(({ tenantId }) => ids.includes(tenantId)),
      editions: async () => [{ code: "Free", version: 1, features: {} }],
      async *changedSince() {
        yield { tenants, readAtMs: Date.now() };
      },
    }),
  });
  let grpc: GrpcServer | undefined;
  return {
    operations: {
      run: operationsOn(integration.schema),
      /** Sends a command as `POST /commands` on the internal listener does. */
      sendCommand: (principal: Principal, input: object) =>
        integration
          .get(CommandSender)
          .send(input, requestContext({ principal, trace: continueTrace(undefined), internal: true })),
      tokenOf: async (principal: Principal) => tokens.tokenOf(principal),
      /** Serves gRPC with the certificates in a folder, and returns the address. */
      async listen(folder: string): Promise<string> {
        grpc = await startGrpcServer({
          ...{ host: "127.0.0.1", port: 0, reflection: false, drainMs: 100, logger: createLogger("grpc", "silent") },
          ...{ certificate: (await serviceCertificates(folder)).integration, services: integration.grpcServices },
        });
        return `127.0.0.1:${grpc.port}`;
      },
    },
    async close() {
      await grpc?.stop();
      await integration.close();
    },
  };
}

serveParent("integration", start);
