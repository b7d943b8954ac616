import type { AddressInfo } from "node:net";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import { clientNetworkOf, TrustedProxies } from "@factory/runtime/ingress/client-address";
import { unauditedRefusals } from "@factory/runtime/messages/refusal";
import type { FastifyInstance } from "fastify";
import { Registry } from "prom-client";
import { DeliveryMutation } from "./deliveries/delivery-mutation.js";
import { serveDeliveries } from "./deliveries/serve-deliveries.js";
import { serveEventDocuments } from "./event-documents/serve-event-documents.js";
import type { FacadeOptions, FacadePorts } from "./facade-ports.js";
import { serveGuides } from "./guides/serve-guides.js";
import { offerCompression } from "./http/compression.js";
import type { StopPatience } from "./http/front-door.js";
import { createListener, type Listener, type ListenerOptions, securityHeaders } from "./http/listener.js";
import { requestMetrics } from "./http/request-metrics.js";
import { type DirectAnswer, directEvaluation } from "./ofrep/direct-evaluation.js";
import { EventStreams } from "./ofrep/event-streams.js";
import type { FeatureFlags } from "./ofrep/feature-flags.js";
import { serveOfrep } from "./ofrep/serve-ofrep.js";
import { ServedApi, serveDocs } from "./openapi/docs.js";
import { describeApi } from "./openapi/openapi.js";
import { loadOperation } from "./operations/load-operation.js";
import { cacheReadiness, readinessMetric, serveHealth } from "./operator/health.js";
import { serveCommands } from "./operator/serve-commands.js";
import { serveJobs } from "./operator/serve-jobs.js";
import { serveSealedValues } from "./operator/serve-sealed-values.js";
import { limitByAddress } from "./rate-limits/limit-by-address.js";
import { limitRequests } from "./rate-limits/rate-limits.js";
import { serveReportContents } from "./report-contents/serve-report-contents.js";
import { compileRoutes } from "./requests/compile-route.js";
import type { Admission } from "./requests/handle-route.js";
import { routesFor, type ServedRoute, serveInternalRoutes, serveRoutes } from "./requests/serve-routes.js";
import { deliveryOperation } from "./routes/delivery.routes.js";
import { ofrepRoutes } from "./routes/ofrep.routes.js";
import { endpointOf } from "./routes/route.js";
import { serveStaticFiles } from "./static-files/serve-static-files.js";

export type { FacadeGraph, FacadeOptions, FacadePorts } from "./facade-ports.js";
export type { Guide } from "./guides/guides-page.js";
export type { OperationResult, PreparedOperation } from "./requests/prepared-operation.js";

/** The running facade. */
export interface Facade {
  /** The address that callers use: the configured one, or the one that was bound. */
  publicUrl: string;
  internalUrl: string;
  /**
   * Refuses new connections and reports not ready. Answers requests on open connections for one more second, then waits
   * for those in flight. The websockets' owner closes them.
   */
  close(): Promise<void>;
}

const usualPatience: StopPatience = { graceMs: 1000, timeoutMs: 8000 };

/** Opens the public and the internal listener. Throws when a route's document does not fit the graph. */
export async function startFacade(ports: FacadePorts, options: FacadeOptions): Promise<Facade> {
  const { routes, api, deliveries } = followGraph(ports);
  const registry = options.registry ?? new Registry();
  const metrics = async () =>
    options.registry ? ports.metrics() : `${await ports.metrics()}\n${await registry.metrics()}`;
  const sharedOptions = {
    allowedOrigins: options.allowedOrigins,
    proxies: new TrustedProxies(options.trustedProxies ?? []),
    https: options.publicUrl?.startsWith("https:") ?? false,
    logger: options.logger,
    refusals: ports.refusals ?? unauditedRefusals,
    meterFor: requestMetrics(registry),
    rateLimits: options.rateLimits,
  };
  const listeners = {
    public: publicListener(ports, sharedOptions),
    internal: createListener({ ...sharedOptions, ...closedOptions }),
  };
  const { app } = listeners.public;
  const admission = { verifier: ports.verifier, limit: limitRequests(options.rateLimits) };
  const developerLog = options.development ? options.logger : undefined;
  await serveRoutes(app, routes, { ...admission, developerLog });
  await serveDeliveries(app, ports.deliveries ?? deliveries);
  const streams = startOfrep(app, ports, admission);
  if (ports.reportContents) serveReportContents(app, ports.reportContents, admission);
  await serveGraphql(app, ports.graphql, admission);
  const hasGraphiql = options.development;
  serveStaticFiles(app, options.pageFiles);
  serveDocs(app, api, { files: options.pageFiles, hasGraphiql });
  serveGuides(app, options.guides ?? [], hasGraphiql);
  serveEventDocuments(app, () => options.publicUrl ?? urlOf(listeners.public), hasGraphiql);
  serveInternalRoutes(listeners.internal.app, routes, { verifier: ports.verifier });
  const isClosing = () => listeners.public.door.closing;
  const ready = cacheReadiness(() => ports.ready(), options.clock);
  readinessMetric(registry, ready);
  for (const listener of Object.values(listeners)) serveHealth(listener.app, ready, isClosing);
  serveMetrics(listeners.internal.app, metrics);
  if (ports.jobs) serveJobs(listeners.internal.app, ports.jobs, ports.verifier);
  if (ports.commands) serveCommands(listeners.internal.app, ports.commands, ports.verifier);
  if (ports.sealedValues) serveSealedValues(listeners.internal.app, ports.sealedValues, ports.verifier);
  if (options.development) serveMetrics(app, metrics);
  const facade = await listen(listeners, streams, options);
  api.publishAt(facade.publicUrl);
  return facade;
}

async function serveGraphql(app: FastifyInstance, graphql: FacadePorts["graphql"], { limit }: Admission) {
  await app.register(async (scope) => {
    await offerCompression(scope);
    scope.route({
      method: ["GET", "POST"],
      url: "/graphql",
      // counted before the body is read, since the document's cost is not known yet
      onRequest: async ({ headers, raw }, reply) => {
        if (headers.authorization === undefined) await limit?.ofAddress(clientNetworkOf(raw), reply);
      },
      handler: (request, reply) => graphql.handle(request, reply),
    });
  });
}

/** Serves OFREP where feature flags are evaluated, and returns its event streams. */
function startOfrep(app: FastifyInstance, ports: FacadePorts, admission: Admission): EventStreams | undefined {
  const { flags } = ports;
  if (!flags) return undefined;
  const streams = new EventStreams(flags, ports.verifier);
  ports.onRevoked?.((revocation) => streams.revoked(revocation));
  serveOfrep(app, { flags, streams, admission });
  return streams;
}

/** Routes and API description for the serving graph; both change in one step when it is replaced. */
function followGraph({ useGraph }: Pick<FacadePorts, "useGraph">) {
  const routes: ServedRoute[] = [];
  const api = new ServedApi();
  const deliveries = new DeliveryMutation();
  let isFirst = true;
  useGraph(({ schema, prepare }) => {
    const compiledRoutes = compileRoutes(schema, prepare);
    const describe = () => describeApi(compiledRoutes, schema);
    // a graph that cannot be described must not replace another; the first one is described for its first reader
    const document = isFirst ? undefined : describe();
    isFirst = false;
    const graphRoutes = routesFor(compiledRoutes, routes);
    const { text, name } = loadOperation(deliveryOperation.area, deliveryOperation.run);
    const delivery = prepare(text, name);
    return () => {
      api.replace(() => document ?? describe());
      deliveries.prepared = delivery;
      graphRoutes.use();
    };
  });
  return { routes, api, deliveries };
}

const closedOptions = { passThrough: [], upgrade: undefined, allowedOrigins: [] };

type Shared = Omit<ListenerOptions, "passThrough" | "upgrade" | "direct"> & Pick<FacadeOptions, "rateLimits">;

function directAnswers(flags: FeatureFlags, verifier: Verifier, sharedOptions: Shared): DirectAnswer {
  const { allowedOrigins, https, logger, rateLimits, meterFor } = sharedOptions;
  return directEvaluation({
    ...{ flags, verifier, logger, limits: rateLimits },
    headers: { ...securityHeaders(https), ...(allowedOrigins.length > 0 && { vary: "Origin" }) },
    meter: meterFor("POST", endpointOf(ofrepRoutes.evaluate.at).path),
  });
}

function publicListener(ports: FacadePorts, sharedOptions: Shared): Listener {
  const authorization = ["/connect/", "/.well-known/", "/v1/connect/", "/v1/.well-known/"] as const;
  const prefixes = [
    ...authorization.map((prefix) => ({ prefix, owner: ports.authorizationServer.bind(ports) })),
    { prefix: "/git/" as const, owner: ports.git.bind(ports) },
    ...(ports.connectionPages
      ? [
          {
            prefix: "/integrations/oauth/" as const,
            owner: limitByAddress(ports.connectionPages.bind(ports), sharedOptions.rateLimits),
          },
        ]
      : []),
  ];
  const passThrough = prefixes.map(({ prefix, owner }) => {
    const meters = new Map(
      ["GET", "HEAD", "POST"].map((method) => [method, sharedOptions.meterFor(method, `${prefix}*`)]),
    );
    const other = sharedOptions.meterFor("", `${prefix}*`);
    return { prefix, owner, meter: (method: string) => meters.get(method) ?? other };
  });
  const accept = ports.graphql.upgrade.bind(ports.graphql);
  const direct = ports.flags && directAnswers(ports.flags, ports.verifier, sharedOptions);
  return createListener({
    ...sharedOptions,
    passThrough,
    ...(direct && { direct }),
    upgrade: { path: "/graphql", accept },
  });
}

function serveMetrics(app: FastifyInstance, metrics: () => Promise<string>): void {
  app.get("/metrics", async (_request, reply) =>
    reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await metrics()),
  );
}

async function listen(
  listeners: Record<"public" | "internal", Listener>,
  streams: EventStreams | undefined,
  options: FacadeOptions,
): Promise<Facade> {
  let closing: Promise<unknown> | undefined;
  const close = async () => {
    streams?.close();
    closing ??= closeListeners(listeners, { ...usualPatience, ...options.stopPatience });
    await closing;
  };
  try {
    for (const { app } of Object.values(listeners)) await app.ready();
    await options.beforeListening?.();
    await listeners.internal.app.listen({ host: options.internalHost ?? "127.0.0.1", port: options.internalPort });
    await listeners.public.app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    publicUrl: options.publicUrl ?? urlOf(listeners.public),
    internalUrl: urlOf(listeners.internal),
    close,
  };
}

/** Closes the internal listener last, so that readiness probes are answered until then. */
async function closeListeners(listeners: Record<"public" | "internal", Listener>, patience: StopPatience) {
  const { app, door } = listeners.public;
  const internal = listeners.internal;
  internal.door.leave();
  const graceMs = app.server.listening ? patience.graceMs : 0;
  await door.close(() => app.close(), { ...patience, graceMs });
  await internal.door.close(() => internal.app.close(), { ...patience, graceMs: 0 });
}

function urlOf({ app }: Listener): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  const wildcard = address === "0.0.0.0" || address === "::";
  const host = wildcard ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
