import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLError } from "graphql";
import type { Registry } from "prom-client";
import type { StopPatience } from "./front-door.js";
import type { RateLimits } from "./rate-limit.js";

export interface OperationResult {
  data?: Record<string, unknown> | null;
  errors?: readonly GraphQLError[];
  /** `valueCompletion`: nulls where the graph allows none, though no fetch failed. */
  extensions?: Record<string, unknown>;
}

export interface PreparedOperation {
  run(variables: Record<string, unknown>, context: RequestContext): Promise<OperationResult>;
}

/** What the front door stands before; the composition of the processes supplies it. */
export interface FacadePorts {
  /** The full supergraph, with `@auth` and `@constraint`. */
  supergraphSdl: string;
  /** Throws when the document does not fit the graph: the start fails. */
  prepare(document: string, operationName: string): PreparedOperation;
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
  ready(): Promise<{ ready: boolean; checks: Record<string, string> }>;
  /** Background work of all tenants, for the operator; absent: `/jobs` is not served. */
  jobs?: {
    list(after: string | undefined, limit: number): Promise<object>;
    redrive(queue: string, jobId: string, actorId: string): Promise<object>;
    lying(): Promise<Record<string, number>>;
    /** Messages of the bus that a consumer could not take. */
    deadLetters(after: string | undefined, limit: number): Promise<object>;
    redriveLetter(consumer: string, position: string): Promise<void>;
  };
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
