import { join } from "node:path";
import { type Catalog, startCatalog } from "@factory/catalog/subgraph";
import { type Integration, startIntegration } from "@factory/integration/subgraph";
import type { Revocation } from "@factory/runtime/auth/revocations";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { NodeTypes } from "@factory/runtime/graphql/node-types";
import type { ServiceCertificates } from "@factory/runtime/grpc/service-certificates";
import { JobService } from "@factory/runtime/jobs/job.service";
import { type Spine, startSpine } from "@factory/spine/subgraph";
import type { PlatformEnvironment } from "../settings/environment.js";
import { filesDirOf, repositoriesDirOf } from "../settings/platform-folders.js";
import type { Foundation, Start } from "./foundation.js";
import type { PlatformGrpc } from "./grpc.js";
import { startPlatformGrpc } from "./grpc-start.js";

/** The three subgraphs, their gRPC server, and the verifier for the tokens that the spine issues. */
export interface Subgraphs {
  readonly spine: Spine;
  readonly integration: Integration;
  readonly catalog: Catalog;
  readonly grpcAddress: string;
  readonly verifier: TokenVerifier;
  /** Calls `listener` with each revocation from now on. */
  readonly onRevoked: (listener: (revocation: Revocation) => void) => void;
}

/** Starts the subgraphs side by side, and gRPC when they have started. Tokens are verified when the spine has started. */
export async function startSubgraphs(
  start: Start,
  foundation: Foundation,
  certificates: Promise<ServiceCertificates>,
): Promise<Subgraphs> {
  const { environment, parts } = start;
  const { publicUrl, dataDir, masterKeys, hostOf, limits } = foundation;
  const { development } = environment;
  let grpcListens: (grpc: Promise<PlatformGrpc>) => void = () => undefined;
  const grpcReady = new Promise<PlatformGrpc>((resolve) => {
    grpcListens = resolve;
  });
  const verifyingLater = { verify: async (token: string) => (await verification).verifier.verify(token) };
  const spineStart = startSpine(hostOf("spine"), {
    issuer: publicUrl,
    masterKeys,
    dataDir,
    filesDir: filesDirOf(environment, dataDir),
    allowedOrigins: environment.allowedOrigins,
    mail: environment.smtp ?? (development ? { outbox: join(dataDir, "outbox") } : undefined),
    rateLimitFactor: environment.rateLimitFactor,
    limits,
    repositorySchemes: ["https", ...(environment.allowSsh ? ["ssh"] : []), ...(development ? ["file"] : [])],
    verifier: verifyingLater,
    // A delivery that resumes before the gRPC server listens waits for this server.
    notificationTargets: {
      hasConnection: async (...request) => (await grpcReady).notificationTargets.hasConnection(...request),
      subscription: async (...request) => (await grpcReady).notificationTargets.subscription(...request),
    },
    otherJobs: async () => [(await catalogStart).get(JobService), (await integrationStart).get(JobService)],
    ...(environment.platformClient ? { platformClient: environment.platformClient } : {}),
  });
  const verification = spineStart.then((spine) => verifyTokensOf(spine, publicUrl));
  // the spine's start reports a failure
  verification.catch(() => undefined);
  const integrationStart = startIntegration(hostOf("integration"), {
    publicUrl,
    rateLimitFactor: environment.rateLimitFactor,
    limits,
    masterKeys,
    verifier: verifyingLater,
    allowLoopback: development,
    httpsOnly: !development,
    localToolServers: environment.toolServers,
    localToolServerBytes: environment.toolServerBytes,
    webhookRetentionDays: environment.webhookRetentionDays,
    deliveryRetentionDays: environment.deliveryRetentionDays,
    tenantSnapshots: async () => (await grpcStart).snapshots.integration,
    otherNodes: async () => [(await catalogStart).get(NodeTypes), (await spineStart).get(NodeTypes)],
    ...(development ? {} : { allowedPorts: [80, 443, 8443] }),
  });
  const catalogStart = startCatalog(hostOf("catalog"), {
    publicUrl,
    repositories: repositorySettings(environment, dataDir),
    masterKeys,
    verifier: verifyingLater,
    development,
    allowHosts: environment.allowedHosts,
    sourceRoots: environment.sourceRoots,
    nugetFeeds: environment.nugetFeeds,
    allowSsh: environment.allowSsh,
    sourceCredentials: environment.sourceCredentials,
    // A job that resumes before the gRPC server listens waits for this server.
    secrets: { resolve: async (...request) => (await grpcStart).secrets.resolve(...request) },
    sourceControl: {
      locate: async (use) => (await grpcStart).sourceControl.locate(use),
      authorize: async (use) => (await grpcStart).sourceControl.authorize(use),
      openPullRequest: async (use, pullRequest) => (await grpcStart).sourceControl.openPullRequest(use, pullRequest),
    },
    tenantSnapshots: async () => (await grpcStart).snapshots.catalog,
    usage: {
      consume: async (use) => (await grpcStart).usage.consume(use),
      release: async (use) => (await grpcStart).usage.release(use),
    },
  });
  const grpcStart = startPlatformGrpc(
    start,
    foundation.refusals,
    certificates,
    Promise.all([spineStart, integrationStart, catalogStart]),
  );
  grpcListens(grpcStart);
  // a failure is reported by grpcStart
  grpcReady.catch(() => undefined);
  // Parts are closed in reverse order. The catalog is closed first, because its running jobs still request secrets.
  parts.addStarting("spine", spineStart);
  parts.addStarting("integration", integrationStart);
  parts.addStarting("gRPC", grpcStart);
  parts.addStarting("catalog", catalogStart);
  const [spine, integration, catalog] = await Promise.all([spineStart, integrationStart, catalogStart]);
  const [grpc, { verifier, onRevoked }] = await Promise.all([grpcStart, verification]);
  return { spine, integration, catalog, grpcAddress: grpc.address, verifier, onRevoked };
}

function repositorySettings(environment: PlatformEnvironment, dataDir: string) {
  const { store: driver, folder: _, cacheBytes, ...limits } = environment.repositories;
  return {
    driver,
    folder: repositoriesDirOf(environment, dataDir),
    cacheFolder: join(dataDir, "repository-cache"),
    ...{ cacheBytes, limits },
  };
}

async function verifyTokensOf(spine: Spine, publicUrl: string) {
  const { authorizationServer } = spine;
  const verifier = new TokenVerifier({
    issuer: publicUrl,
    audience: publicUrl,
    keys: () => authorizationServer.jwks(),
    tenantExists: authorizationServer.tenantExists,
  });
  authorizationServer.onKeysChanged(() => verifier.keysChanged());
  const listeners: ((revocation: Revocation) => void)[] = [(revocation) => verifier.apply(revocation)];
  await spine.watchRevocations((revocation) => {
    for (const listener of listeners) listener(revocation);
  });
  return { verifier, onRevoked: (listener: (revocation: Revocation) => void) => void listeners.push(listener) };
}
