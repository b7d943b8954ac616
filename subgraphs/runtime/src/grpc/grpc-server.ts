import { ServerCredentials, type ServerOptions } from "@grpc/grpc-js";
import { createServer, type Server } from "nice-grpc";
import { HealthDefinition, HealthServiceImpl, HealthState } from "nice-grpc-server-health";
import { type RefusalSink, unauditedRefusals } from "../messages/refusal.js";
import type { Logger } from "../telemetry/logger.js";
import { type CallFacts, callBoundary } from "./call-boundary.js";
import { CallRefusals } from "./call-refusals.js";
import type { GrpcService } from "./grpc-service.js";
import { maxMessageBytes } from "./message-limits.js";
import { ServerSessions } from "./server-sessions.js";
import { callerCheck } from "./service-caller.js";
import type { ServiceCertificate } from "./service-certificates.js";
import { type ServiceIdentity, serviceIdentities } from "./service-identity.js";

export interface GrpcServerSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly certificate: ServiceCertificate;
  readonly services: readonly GrpcService[];
  /** Whether server reflection is enabled, for development. */
  readonly reflection: boolean;
  /** Takes refused calls for the audit log; absent: they are dropped. */
  readonly refusals?: RefusalSink;
  readonly logger: Logger;
  /** The time for running calls to end when the server stops. */
  readonly drainMs?: number;
}

export interface GrpcServer {
  readonly port: number;
  stop(): Promise<void>;
}

const defaultDrainMs = 5000;
const healthService = "grpc.health.v1.Health";
const reflectionService = "grpc.reflection.v1.ServerReflection";

const limits: ServerOptions = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
  "grpc.max_concurrent_streams": 100,
  // A peer that is gone without closing the connection is noticed within a minute.
  "grpc.keepalive_time_ms": 40_000,
  "grpc.keepalive_timeout_ms": 20_000,
  // Statistics for every call, which nothing reads.
  "grpc.enable_channelz": 0,
};

/**
 * Starts a gRPC server with mutual TLS. A client without a certificate from the platform's authority cannot connect.
 */
export async function startGrpcServer(settings: GrpcServerSettings): Promise<GrpcServer> {
  const { host, port, certificate, services, reflection, logger, drainMs = defaultDrainMs } = settings;
  const { refusals = unauditedRefusals } = settings;
  const stopping = new AbortController();
  const health = HealthState();
  const open = [healthService, ...(reflection ? [reflectionService] : [])];
  const allowedCallers = new Map<string, readonly ServiceIdentity[]>([
    ...services.map(({ name, callers }) => [name, callers] as const),
    ...open.map((name) => [name, serviceIdentities] as const),
  ]);
  const callRefusals = new CallRefusals(logger, refusals);
  const direct = services.flatMap((service) => service.direct);
  const sessions = new ServerSessions();
  const server = createServer({
    ...limits,
    interceptors: [callerCheck(allowedCallers, logger, direct, callRefusals, sessions)],
  }).use(callBoundary(callRefusals, stopping.signal));
  for (const service of services) {
    service.addTo(server);
    health.setStatus("healthy", service.name);
  }
  server.add(HealthDefinition, HealthServiceImpl(health));
  if (reflection) await addReflection(server, [...allowedCallers.keys()]);
  const credentials = ServerCredentials.createSsl(
    certificate.authority,
    [{ cert_chain: certificate.certificate, private_key: certificate.key }],
    true,
  );
  const boundPort = await server.listen(authority(host, port), credentials);
  return {
    port: boundPort,
    async stop() {
      for (const name of ["", ...services.map((service) => service.name)]) health.setStatus("unhealthy", name);
      stopping.abort();
      const force = setTimeout(() => {
        logger.warn({ drainMs }, "gRPC calls were cut off");
        server.forceShutdown();
        sessions.destroy();
      }, drainMs);
      await server.shutdown();
      clearTimeout(force);
    },
  };
}

/** Host and port as one address, with brackets around an IPv6 address. */
export function authority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

async function addReflection(server: Server<CallFacts>, names: readonly string[]): Promise<void> {
  const [{ default: reflection }, { descriptorSet }] = await loadReflection();
  server.add(
    reflection.ServerReflectionService,
    reflection.ServerReflection(Buffer.from(descriptorSet, "base64"), names),
  );
}

/** Loads the modules for server reflection. Call it before `startGrpcServer` to save time there. */
export function loadReflection() {
  return Promise.all([import("nice-grpc-server-reflection"), import("@factory/schema/proto/generated/descriptors")]);
}
