import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Revocation } from "@factory/runtime/auth/revocations";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLSchema } from "graphql";
import type { Registry } from "prom-client";
import type { VendorDeliveries } from "./deliveries/vendor-deliveries.js";
import type { Guide } from "./guides/guides-page.js";
import type { StopPatience } from "./http/front-door.js";
import type { FeatureFlags } from "./ofrep/feature-flags.js";
import type { Readiness } from "./operator/health.js";
import type { CommandAdministration } from "./operator/serve-commands.js";
import type { JobAdministration } from "./operator/serve-jobs.js";
import type { SealedValueAdministration } from "./operator/serve-sealed-values.js";
import type { RateLimits } from "./rate-limits/rate-limits.js";
import type { ReportContents } from "./report-contents/report-contents.js";
import type { PrepareOperation } from "./requests/prepared-operation.js";
import type { StaticFiles } from "./static-files/static-files.js";

/** A supergraph, and what prepares the routes' documents for it. */
export interface FacadeGraph {
  /** The full supergraph's schema. Its syntax trees hold `@auth` and `@constraint`. */
  readonly schema: GraphQLSchema;
  readonly prepare: PrepareOperation;
}

/** The platform parts that the facade calls. The code that composes the processes supplies them. */
export interface FacadePorts {
  /**
   * Calls `compile` with the graph at hand, and with each later graph before that one serves. `compile` throws when the
   * graph does not fit; the function that it returns puts the result in service, synchronously.
   */
  useGraph(compile: (graph: FacadeGraph) => () => void): void;
  verifier: Verifier;
  /** Serves `/graphql`: GET, POST with a parsed JSON body, and the websocket upgrade. */
  graphql: {
    handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  };
  /** Serves `/connect/*`, `/.well-known/*` and both under `/v1`. The body is unread. */
  authorizationServer(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Serves `/integrations/oauth/*`, the pages on which people authorize connections. The body is unread. Without it they
   * are not served.
   */
  connectionPages?(request: IncomingMessage, response: ServerResponse): void;
  /** Serves `/git/*`. The body is unread. */
  git(request: IncomingMessage, response: ServerResponse): void;
  /** Evaluates feature flags. Without it OFREP is not served. */
  flags?: FeatureFlags;
  /** Takes vendors' deliveries without a GraphQL operation's cost. Without it the mutation takes them. */
  deliveries?: VendorDeliveries;
  /** The report runs' contents. Without it they are not served. */
  reportContents?: ReportContents;
  /** Calls the listener with each token revocation from now on. */
  onRevoked?(listener: (revocation: Revocation) => void): void;
  /** Takes all requests' refusals for the audit log. Without it they are dropped. */
  refusals?: RefusalSink;
  ready(): Promise<Readiness>;
  /** All tenants' background work, for the operator. Without it `/jobs` is not served. */
  jobs?: JobAdministration;
  /** Sends commands to vendors, for the operator. Without it `/commands` is not served. */
  commands?: CommandAdministration;
  /** Seals stored values again, for the operator. Without it `/sealed-values` is not served. */
  sealedValues?: SealedValueAdministration;
  /** The platform's Prometheus text. It includes the facade's metrics if `registry` is shared. */
  metrics(): Promise<string>;
}

export interface FacadeOptions {
  /** The address that callers use. Without it: host and chosen port. */
  publicUrl?: string | undefined;
  host: string;
  /** 0 stands for any free port. */
  port: number;
  internalHost?: string | undefined;
  internalPort: number;
  development: boolean;
  allowedOrigins: readonly string[];
  /** Addresses or networks whose X-Forwarded-For header is trusted. */
  trustedProxies?: readonly string[] | undefined;
  rateLimits: RateLimits;
  logger: Logger;
  /** The registry for the request metrics. Without it the facade has its own and appends it to `metrics()`. */
  registry?: Registry | undefined;
  /** The guides at `/docs/guides`. Without them the list is empty. */
  guides?: readonly Guide[] | undefined;
  /** The files of the pages that run scripts. Without them these pages say so. */
  pageFiles?: StaticFiles | undefined;
  stopPatience?: Partial<StopPatience> | undefined;
  /** Milliseconds, for a readiness result's age. */
  clock?: (() => number) | undefined;
  /** Called when everything is ready to listen, to free the addresses. */
  beforeListening?: (() => Promise<void>) | undefined;
}
