import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import type { StopPatience } from "./http/front-door.js";
import type { Readiness } from "./operator/health.js";
import type { JobAdministration } from "./operator/serve-jobs.js";
import type { RateLimits } from "./rate-limits/rate-limits.js";
import type { PrepareOperation } from "./requests/prepared-operation.js";

/** The parts of the platform that the facade calls. The composition of the processes supplies them. */
export interface FacadePorts {
  /** The full supergraph, with `@auth` and `@constraint`. */
  supergraphSdl: string;
  prepare: PrepareOperation;
  verifier: Verifier;
  /** `/graphql`: GET, POST with a parsed JSON body, and the websocket upgrade. */
  graphql: {
    handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  };
  /** Gets `/connect/*`, `/.well-known/*` and both under `/v1`, with the body unread. */
  authorizationServer(request: IncomingMessage, response: ServerResponse): void;
  /** Gets `/git/*` with the body unread. */
  git(request: IncomingMessage, response: ServerResponse): void;
  ready(): Promise<Readiness>;
  /** Background work of all tenants, for the operator; absent: `/jobs` is not served. */
  jobs?: JobAdministration;
  /** Prometheus text of everything but the facade, unless `registry` is shared. */
  metrics(): Promise<string>;
}

export interface FacadeOptions {
  /** As callers see it; absent: from host and chosen port. */
  publicUrl?: string | undefined;
  host: string;
  /** 0: any free port. */
  port: number;
  internalHost?: string | undefined;
  internalPort: number;
  development: boolean;
  allowedOrigins: readonly string[];
  /** Addresses or networks whose X-Forwarded-For is believed. */
  trustedProxies?: readonly string[] | undefined;
  rateLimits: RateLimits;
  logger: Logger;
  /** Where the request metrics are registered; absent: a registry of the facade, appended to `metrics()`. */
  registry?: Registry | undefined;
  stopPatience?: Partial<StopPatience> | undefined;
}

declare module "fastify" {
  interface FastifyRequest {
    trace: Trace;
    principal: Principal | undefined;
  }
}
