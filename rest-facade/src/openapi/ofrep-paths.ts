import { ofrepRoutes } from "../routes/ofrep.routes.js";
import { endpointOf } from "../routes/route.js";
import { badRequestContent, refusalsOf } from "./refusals.js";
import { securityOf } from "./security.js";

type Member = Record<string, unknown>;

const text = { type: "string" };

const key = { type: "string", description: "The key of the feature flag." };

const failure = {
  type: "object",
  required: ["errorCode"],
  properties: {
    key,
    errorCode: {
      type: "string",
      enum: ["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL"],
    },
    errorDetails: text,
  },
};

const evaluation = {
  type: "object",
  required: ["key", "value", "variant", "reason"],
  properties: {
    key,
    value: { type: "boolean" },
    variant: { type: "string", enum: ["on", "off"] },
    reason: {
      type: "string",
      enum: ["DISABLED", "TARGETING_MATCH", "STATIC", "SPLIT"],
      description:
        "DISABLED: the flag is not enabled. TARGETING_MATCH: a rule matches. STATIC: the percentage is 0 or 100. SPLIT: the share decides.",
    },
  },
};

const bulk = {
  type: "object",
  required: ["flags", "eventStreams"],
  properties: {
    flags: { type: "array", items: { oneOf: [evaluation, failure] } },
    eventStreams: {
      type: "array",
      description: "Streams of Server-Sent Events that tell when to evaluate again (OFREP ADR 0008).",
      items: {
        type: "object",
        required: ["type", "endpoint"],
        properties: {
          type: { type: "string", const: "sse" },
          endpoint: { type: "object", required: ["requestUri"], properties: { requestUri: text } },
          inactivityDelaySec: { type: "integer" },
        },
      },
    },
  },
};

const requestBody = {
  required: false,
  content: json({
    type: "object",
    properties: {
      context: {
        type: ["object", "null"],
        description: "At most 200 members. A text has at most 2,048 characters.",
        properties: {
          targetingKey: { type: ["string", "null"], description: "The id by which a share of contexts is chosen." },
        },
      },
    },
  }),
};

const streamExample = 'id: 1\ndata: {"type":"refetchEvaluation"}\n\n';

const operations: Record<keyof typeof ofrepRoutes, Member> = {
  evaluate: {
    operationId: "evaluateFlag",
    summary: "Evaluate one feature flag",
    description: "Evaluates one feature flag for a context (OpenFeature Remote Evaluation Protocol 0.3.0).",
    parameters: [{ name: "key", in: "path", required: true, schema: text, description: key.description }],
    requestBody,
    responses: {
      "200": { description: "The value of the flag.", content: json(evaluation) },
      "400": {
        description: "The context is refused, or it has no targetingKey.",
        content: json(failure, badRequestContent),
      },
      "404": { description: "The tenant has no flag with this key.", content: json(failure) },
    },
  },
  evaluateAll: {
    operationId: "evaluateFlags",
    summary: "Evaluate all feature flags",
    description:
      "Evaluates all feature flags of the tenant for a context (OpenFeature Remote Evaluation Protocol 0.3.0). The entity tag covers the flags and the context.",
    parameters: [
      {
        name: "If-None-Match",
        in: "header",
        required: false,
        schema: text,
        description: "The ETag of an earlier answer.",
      },
    ],
    requestBody,
    responses: {
      "200": { description: "The values of all flags.", headers: { etag: { schema: text } }, content: json(bulk) },
      "304": { description: "Not modified.", headers: { etag: { schema: text } } },
      "400": { description: "The context is refused.", content: json(failure, badRequestContent) },
    },
  },
  stream: {
    operationId: "flagEvents",
    summary: "Hear of changes of feature flags",
    description:
      "A stream of Server-Sent Events with messages of type `refetchEvaluation`. Clients take its address from `eventStreams`. It ends with the token.",
    parameters: [
      {
        ...{ name: "ticket", in: "query", required: false, schema: text },
        description:
          "Stands for the token where a client can send no header. It is part of the address in `eventStreams`.",
      },
    ],
    responses: {
      "200": { description: "The stream.", content: { "text/event-stream": { schema: text, example: streamExample } } },
    },
  },
};

/** The OFREP endpoints. They are described by hand, since the protocol defines their bodies. */
export const ofrepPaths: Record<string, Record<string, Member>> = Object.fromEntries(
  Object.entries(operations).map(([name, operation]) => {
    const { at, scopes } = ofrepRoutes[name as keyof typeof ofrepRoutes];
    const { method, path } = endpointOf(at);
    const refusals = refusalsOf({ method, path, withToken: true });
    const described = { ...operation, responses: { ...refusals, ...(operation["responses"] as Member) } };
    return [path, { [method.toLowerCase()]: { ...described, tags: ["spine"], security: securityOf(scopes) } }];
  }),
);

function json(schema: Member, others: Member = {}): Member {
  return { "application/json": { schema }, ...others };
}
