import type { Principal } from "@factory/runtime/auth/principal";
import type { JsonSize } from "@factory/runtime/input-validation/json-size";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type {} from "fastify";
import type { Problem } from "./problem.js";

// The members that the facade adds to the requests and route settings of Fastify.

declare module "fastify" {
  interface FastifyRequest {
    trace: Trace;
    principal: Principal | undefined;
    /** The size of the JSON body; 0 before it was read. */
    bodyBytes: number;
    /** The members and values of the JSON body; undefined before they were counted. */
    bodySize: JsonSize | undefined;
  }
  interface FastifyContextConfig {
    /** The root field that the route runs: the name of the operation in the audit log. */
    rootField?: string;
    /** Further members of the problems of this route. */
    errorMembers?: (problem: Problem, request: FastifyRequest) => Record<string, unknown>;
  }
}
