import "reflect-metadata";
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { SecretResolver } from "@factory/catalog/secret-resolver";
import { startCatalog } from "@factory/catalog/subgraph";
import { startIntegration } from "@factory/integration/subgraph";
import { rateLimits } from "@factory/rest-facade/rate-limits";
import { startFacade } from "@factory/rest-facade/server";
import type { Revocation } from "@factory/runtime/auth/revocations";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { ServerWatch } from "@factory/runtime/connections/server-watch";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { JobProcess } from "@factory/runtime/jobs/runs/job-process";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import { startSpine } from "@factory/spine/subgraph";
import { collectDefaultMetrics, type Registry } from "prom-client";
import { AdHocOperations } from "../../ad-hoc-documents/ad-hoc-operations.js";
import { SupergraphExecutor } from "../../execution/supergraph-executor.js";
import { graphqlEndpoint } from "../../http/graphql-endpoint.js";
import { startGraphqlServer } from "../../http/graphql-server.js";
import { localSubgraph } from "../../subgraphs/local-subgraph.js";
import { readSupergraph } from "../../supergraph/committed-supergraph.js";
import { prepareOperation } from "../../supergraph/prepared-operation.js";
import { graphqlSockets } from "../../websocket/graphql-sockets.js";
import { busMetrics } from "../monitoring/bus-metrics.js";
import { databaseHealth } from "../monitoring/database-health.js";
import { JobAdministration } from "../monitoring/job-administration.js";
import { relayHealth } from "../monitoring/relay-health.js";
import type { PlatformEnvironment } from "../settings/environment.js";
import { choosePort } from "../settings/free-port.js";
import { readMasterKeys } from "../settings/secrets-key.js";
import type { PlatformGrpc } from "./grpc.js";
import type { PlatformDatabase } from "./platform-database.js";
import { writeSampleRepository } from "./sample-repository.js";

export interface Platform {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly grpcAddress: string;
  /** Resolves when the database was silent for as long as the operator waits; never, where that is for ever. */
  readonly databaseGivenUp: Promise<void>;
  stop(): Promise<void>;
}

export interface Telemetry {
  readonly logger: Logger;
  readonly registry: Registry;
}

type OnStop = (part: string, close: () => Promise<void>) => void;

/** The whole platform in this process, over one PostgreSQL. Starts in order of need; what has started is stopped on failure. */
export async function startPlatform(
  environment: PlatformEnvironment,
  telemetry: Telemetry,
  database: Promise<PlatformDatabase>,
): Promise<Platform> {
  const running: { part: string; close: () => Promise<void> }[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopAll(running.reverse(), telemetry.logger));
  try {
    const onStop: OnStop = (part, close) => running.push({ part, close });
    return await start({ environment, ...telemetry, database }, onStop, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stopAll(parts: readonly { part: string; close: () => Promise<void> }[], logger: Logger): Promise<void> {
  const failures: unknown[] = [];
  for (const { part, close } of parts) {
    const started = performance.now();
    await close().catch((error: unknown) => failures.push(error));
    logger.debug({ part, ms: Math.round(performance.now() - started) }, "stopped");
  }
  // PostgreSQL and the lock come last, and are reached whatever fails before
  if (failures.length > 0) throw new AggregateError(failures, "not every part could be stopped");
}

interface Given extends Telemetry {
  readonly environment: PlatformEnvironment;
  readonly database: Promise<PlatformDatabase>;
}

async function start(
  { environment, logger, registry, database }: Given,
  onStop: OnStop,
  stop: () => Promise<void>,
): Promise<Platform> {
  const dataDir = resolve(environment.dataDir);
  if (!environment.development && environment.trustedProxies.length === 0)
    logger.warn("TRUSTED_PROXIES is empty: behind a proxy, everybody shares the limits of its address");
  const masterKeys = await readMasterKeys(environment, dataDir);
  const port = await choosePort(environment.port, environment.host);
  const publicUrl = environment.publicUrl ?? `http://127.0.0.1:${port}`;
  // loads while PostgreSQL starts
  const grpcModule = awaitedLater(loadedGrpc(dataDir, environment.development));
  const { url: databaseUrl, holder, close } = await database;
  onStop("database", close);
  const certificates = awaitedLater(grpcModule.then(({ platformCertificates }) => platformCertificates(dataDir)));
  await provisionDatabase(databaseUrl, subgraphNames);
  const connections = (schema: SubgraphName) => schemaConnections(databaseUrl, schema);
  const watch = ServerWatch.of(connections("integration").worker, logger);
  watch.watchWrites(connections("integration").worker);
  const bus = await PostgresBus.open(connections("integration").worker, logger, {
    deadLetterDays: environment.deadLetterRetentionDays,
  });
  onStop("bus", () => bus.close());
  const jobProcess = new JobProcess(holder);
  const host = (schema: SubgraphName) => ({
    connections: connections(schema),
    bus,
    jobProcess,
    logger: logger.child({ subgraph: schema }),
  });

  const spine = await startSpine(host("spine"), {
    issuer: publicUrl,
    masterKeys,
    dataDir,
    allowedOrigins: environment.allowedOrigins,
    mail: environment.smtp ?? (environment.development ? { outbox: join(dataDir, "outbox") } : undefined),
    rateLimitFactor: environment.rateLimitFactor,
    ...(environment.platformClient ? { platformClient: environment.platformClient } : {}),
  });
  onStop("spine", () => spine.close());
  const verifier = new TokenVerifier({
    issuer: publicUrl,
    audience: publicUrl,
    keys: () => spine.authorizationServer.jwks(),
    tenantExists: spine.authorizationServer.tenantExists,
  });
  spine.authorizationServer.onKeysChanged(() => verifier.keysChanged());
  const onRevoked: ((revocation: Revocation) => void)[] = [(revocation) => verifier.apply(revocation)];
  await spine.watchRevocations((revocation) => {
    for (const obey of onRevoked) obey(revocation);
  });
  const integrationStart = startIntegration(host("integration"), {
    masterKeys,
    allowLoopback: environment.development,
    httpsOnly: !environment.development,
    webhookRetentionDays: environment.webhookRetentionDays,
    ...(environment.development ? {} : { allowedPorts: [80, 443, 8443] }),
  });
  const catalogStart = startCatalog(host("catalog"), {
    publicUrl,
    dataDir,
    masterKeys,
    verifier,
    development: environment.development,
    allowHosts: environment.allowedHosts,
    sourceRoots: environment.sourceRoots,
    nugetFeeds: environment.nugetFeeds,
    allowSsh: environment.allowSsh,
    sourceCredentials: environment.sourceCredentials,
    secrets: secretsOnce(() => grpcStart),
  });
  const grpcStart = awaitedLater(
    Promise.all([integrationStart, catalogStart]).then(async (subgraphs) =>
      (await grpcModule).startGrpc({
        certificates: await certificates,
        services: subgraphs.flatMap(({ grpcServices }) => grpcServices),
        host: environment.host,
        port: environment.grpcPort,
        development: environment.development,
        logger,
      }),
    ),
  );
  // the catalog stops first: its running jobs still ask for secrets
  onStop("integration", () => closeStarted(integrationStart));
  onStop("gRPC", () => closeStarted(grpcStart));
  onStop("catalog", () => closeStarted(catalogStart));
  const [integration, grpc, catalog] = await Promise.all([integrationStart, grpcStart, catalogStart]);

  const supergraphSdl = await readSupergraph();
  const executor = SupergraphExecutor.fromSdl<RequestContext>(supergraphSdl, [
    localSubgraph("catalog", catalog.schema),
    localSubgraph("integration", integration.schema),
    localSubgraph("spine", spine.schema),
  ]);
  const limits = rateLimits(environment.rateLimitFactor);
  const introspection = environment.development;
  const operations = new AdHocOperations({ executor, supergraphSdl, introspection, limits, logger });
  onStop("planning thread", () => operations.close());
  const server = await startGraphqlServer({
    operations,
    coreSupergraphSdl: supergraphSdl,
    introspection,
    limits,
    logger,
  });
  onStop("GraphQL server", () => server.stop());
  const sockets = graphqlSockets({ operations, verifier, introspection, limits, logger });
  onRevoked.push((revocation) => sockets.revoked(revocation));
  collectDefaultMetrics({ register: registry });
  busMetrics(registry, bus.deadLetters);
  const relays = relayHealth(registry, { catalog: catalog.relay, integration: integration.relay, spine: spine.relay });
  const facade = await startFacade(
    {
      supergraphSdl,
      prepare: (document, operationName) => prepareOperation(executor, document, operationName),
      verifier,
      graphql: graphqlEndpoint({ server, sockets, verifier, graphiql: environment.development }),
      authorizationServer: (request, response) => spine.authorizationServer.handle(request, response),
      git: (request, response) => catalog.git(request, response),
      ready: async () => {
        failpoint("platform.readiness");
        const { ready, checks } = await databaseHealth(watch, { spine, integration, catalog });
        return { ready, checks: { ...checks, ...relays() } };
      },
      jobs: new JobAdministration([catalog.jobs, integration.jobs, spine.jobs], bus.deadLetters, registry),
      metrics: () => registry.metrics(),
    },
    {
      publicUrl,
      host: environment.host,
      port,
      internalPort: environment.internalPort,
      development: environment.development,
      allowedOrigins: environment.allowedOrigins,
      trustedProxies: environment.trustedProxies,
      rateLimits: limits,
      registry,
      logger,
    },
  );
  // together: the front door refuses new websockets while the open ones are closed
  onStop("facade", async () => void (await Promise.all([facade.close(), sockets.close()])));
  if (environment.development) await writeSampleRepository(dataDir);
  await writeRuntimeFile(dataDir, {
    publicUrl: facade.publicUrl,
    internalUrl: facade.internalUrl,
    grpcAddress: grpc.address,
    pid: process.pid,
  });
  onStop("runtime.json", () => rm(join(dataDir, "runtime.json"), { force: true }));
  return {
    publicUrl: facade.publicUrl,
    internalUrl: facade.internalUrl,
    grpcAddress: grpc.address,
    databaseGivenUp: watch.silentFor(environment.databaseGiveUpMs ?? Number.POSITIVE_INFINITY),
    stop,
  };
}

async function loadedGrpc(dataDir: string, development: boolean) {
  const grpc = await import("./grpc.js");
  await grpc.loadGrpc(dataDir, development);
  return grpc;
}

/** Its failure is told where it is awaited, which may be long after. */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/** What started beside a neighbour that failed is closed too. */
async function closeStarted(start: Promise<{ close(): Promise<void> }>): Promise<void> {
  const part = await start.catch(() => undefined);
  await part?.close();
}

/** For a job that resumes before the gRPC server listens: it waits. */
function secretsOnce(started: () => Promise<PlatformGrpc>): SecretResolver {
  return { resolve: async (...request) => (await started()).secrets.resolve(...request) };
}

/** Where the tools of a developer find a running platform. */
function writeRuntimeFile(dataDir: string, facts: Record<string, unknown>): Promise<void> {
  return writeFile(join(dataDir, "runtime.json"), `${JSON.stringify(facts, null, 2)}\n`);
}
