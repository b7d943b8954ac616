import type { Principal } from "@factory/runtime/auth/principal";
import type { JsonSize } from "@factory/runtime/input-validation/json-size";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type {} from "fastify";
import type { Problem } from "./problem.js";

// The members that the facade adds to Fastify's requests and route settings.

declare module "fastify" {
  interface FastifyRequest {
    trace: Trace;
    principal: Principal | undefined;
    /** The JSON body's size; 0 before it was read. */
    bodyBytes: number;
    /** The JSON body's members and values; undefined before they were counted. */
    bodySize: JsonSize | undefined;
  }
  interface FastifyContextConfig {
    /** The root field that the route runs: the operation's name in the audit log. */
    rootField?: string;
    /** Further members for this route's problems. */
    errorMembers?: (problem: Problem, request: FastifyRequest) => Record<string, unknown>;
  }
}
