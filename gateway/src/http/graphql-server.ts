import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  HeaderMap,
  type HTTPGraphQLRequest,
} from "@apollo/server";
import { ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { stepUpChallenge } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { type RefusalSink, unauditedRefusals } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { GraphQLError } from "graphql";
import { countInvalid, type RateLimits, refusedUnread } from "../admission/operation-charge.js";
import { noteRefusedFields } from "../admission/refused-fields.js";
import { documentLimits } from "../limits/document-limits.js";
import { PersistedDocuments } from "../persisted-documents/persisted-documents.js";
import { publicErrors } from "../public-errors/public-error.js";
import type { CompiledGateway } from "../supergraph/compiled-gateway.js";
import type { ServingGraphs } from "../supergraph/serving-graphs.js";
import { CompressibleAnswers } from "./compressible-answers.js";
import { withDocument } from "./named-document.js";
import { WellFormedRequests } from "./well-formed-requests.js";

type Options = ApolloServerOptionsWithGateway<RequestContext>;

export interface GraphqlRequest extends Omit<HTTPGraphQLRequest, "headers"> {
  /** Names in lower case. */
  readonly headers: Iterable<[string, string]>;
}

interface GraphqlAnswer {
  readonly status: number;
  readonly headers: Iterable<[string, string]>;
  readonly body: string;
  readonly mayBeCompressed: boolean;
}

export interface GraphqlServer {
  execute(request: GraphqlRequest, context: RequestContext): Promise<GraphqlAnswer>;
  stop(): Promise<void>;
}

/**
 * Starts GraphQL over HTTP. Apollo Server handles the protocol, and the gateway's compiled executor runs the
 * operations.
 */
export async function startGraphqlServer(options: {
  gateway: CompiledGateway;
  graphs: ServingGraphs;
  introspection: boolean;
  limits: RateLimits;
  /** Takes refused operations for the audit log; absent: they are dropped. */
  refusals?: RefusalSink;
  /** Absent: the operator has given none. */
  persisted?: PersistedDocuments;
  logger: Logger;
}): Promise<GraphqlServer> {
  const compressible = new CompressibleAnswers();
  const wellFormed = new WellFormedRequests();
  const persisted = options.persisted ?? new PersistedDocuments();
  const withNamedDocument = (request: GraphqlRequest) => {
    try {
      return withDocument(request, persisted);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  };
  const server = new ApolloServer<RequestContext>({
    gateway: options.gateway,
    introspection: options.introspection,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    includeStacktraceInErrorResponses: false,
    // A GET needs no preflight header: no endpoint here reads a cookie, so another site's page has no rights to use.
    csrfPrevention: false,
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    ...(persisted.only ? { persistedQueries: false as const } : {}),
    parseOptions: { maxTokens: documentLimits.maxTokens },
    // The executor validates documents and caches them, with its own limits.
    dangerouslyDisableValidation: true,
    documentStore: documentStore(options.graphs),
    formatError: publicErrors({
      logger: options.logger,
      schemaDetails: options.introspection,
      graphs: options.graphs,
    }),
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      keptVariables,
      compressible.plugin,
      wellFormed.plugin,
      replayMark,
      refusedStatus,
      invalidCount(options.limits),
      refusalNotes(options.refusals ?? unauditedRefusals),
    ],
    logger: options.logger,
  });
  await server.start();
  return {
    stop: () => server.stop(),
    async execute(request, context) {
      const refusal = await refusedUnread(options.limits, context);
      if (refusal) throw refusal;
      const namedRequest = withNamedDocument(request);
      if (namedRequest instanceof DomainError) {
        countInvalid(options.limits, context);
        return refusedName(request, toGraphqlError(namedRequest, context));
      }
      const httpGraphQLRequest = { ...namedRequest, headers: new HeaderMap(request.headers) };
      const { status, headers, body } = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest,
        context: async () => context,
      });
      if (body.kind !== "complete") throw new Error("Incremental delivery is not offered");
      const mayBeCompressed = compressible.has(httpGraphQLRequest);
      const isRefusedDocument = status === 400 && wellFormed.has(httpGraphQLRequest);
      const isPlainJson = headers.get("content-type")?.startsWith("application/json") === true;
      // A client of this media type reads a refused document as an answer (GraphQL over HTTP, section 6.4.1).
      return {
        status: isRefusedDocument && isPlainJson ? 200 : (status ?? 200),
        headers,
        body: body.string,
        mayBeCompressed,
      };
    },
  };
}

const graphqlMediaType = "application/graphql-response+json";

/** The answer to a request whose document is not known. It is a GraphQL response in any case. */
function refusedName({ headers }: GraphqlRequest, { message, extensions }: GraphQLError): GraphqlAnswer {
  const accept = new HeaderMap(headers).get("accept") ?? "";
  const isPlainJson = !accept.includes(graphqlMediaType);
  const type = isPlainJson ? "application/json" : graphqlMediaType;
  return {
    status: isPlainJson ? 200 : 400,
    headers: [
      ["content-type", `${type}; charset=utf-8`],
      ["cache-control", "no-store"],
    ],
    body: JSON.stringify({ errors: [{ message, extensions }] }),
    mayBeCompressed: false,
  };
}

const sha256Digits = 64;

/**
 * Apollo Server's document store. It reads the graph's cache and stores nothing. A key ends with the SHA-256 of the
 * text.
 */
function documentStore(graphs: ServingGraphs): NonNullable<Options["documentStore"]> {
  return {
    get: async (key) => graphs.current.operations.document(key.slice(-sha256Digits)),
    set: async () => undefined,
    delete: async () => false,
  };
}

/** Apollo Server has read a GET's variables with JSON.parse. The text is valid, so it can be read again. */
const keptVariables: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    if (request.http?.method !== "GET" || !request.variables) return;
    const text = new URLSearchParams(request.http.search).get("variables") ?? "{}";
    request.variables = parseForeignJson(text) as Record<string, unknown>;
  },
};

const replayMark: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ contextValue, response }) {
        response.http.headers.set("x-trace-id", contextValue.trace.traceId);
        if (contextValue.replayed) response.http.headers.set("idempotent-replayed", "true");
      },
    };
  },
};

/** Counts documents that cannot be parsed. Apollo Server refuses them before the executor can count them. */
const invalidCount = (limits: RateLimits): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ contextValue, document }) {
        if (document === undefined) countInvalid(limits, contextValue);
      },
    };
  },
});

/** Notes refused root fields for the audit log. */
const refusalNotes = (refusals: RefusalSink): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ contextValue: context, document, operation, request, response }) {
        if (response.body.kind !== "single" || !document || !operation) return;
        const { errors } = response.body.singleResult;
        if (errors) noteRefusedFields(refusals, { document, operation, variables: request.variables, context }, errors);
      },
    };
  },
});

/** Sets the HTTP status when all errors in the operation have the same code. */
const refusedStatus: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response }) {
        if (response.body.kind !== "single") return;
        const { errors = [], data } = response.body.singleResult;
        const codes = new Set(errors.map(({ extensions }) => extensions?.["code"]));
        const [code] = codes.size === 1 ? codes : [];
        const challenge = challengeOf(errors[0]);
        if (codes.size === 1 && challenge !== undefined) {
          response.http.status = 401;
          response.http.headers.set("www-authenticate", challenge);
        } else if (code === "RATE_LIMITED" || code === "QUOTA_EXCEEDED" || (code === "UNAVAILABLE" && isEmpty(data))) {
          response.http.status = code === "UNAVAILABLE" ? 503 : 429;
          const seconds = errors[0]?.extensions?.["retryAfterSeconds"];
          response.http.headers.set("retry-after", typeof seconds === "number" ? `${Math.ceil(seconds)}` : "1");
        } else if (code === "UPSTREAM_TIMEOUT") response.http.status = 504;
      },
    };
  },
};

/** The header WWW-Authenticate for an error that a new sign-in or a token cures. */
function challengeOf(error: { extensions?: Record<string, unknown> } | undefined): string | undefined {
  const facts = error?.extensions ?? {};
  return facts["code"] === "UNAUTHENTICATED" ? "Bearer" : stepUpChallenge(facts["code"], facts);
}

const isEmpty = (data: Record<string, unknown> | null | undefined) =>
  Object.values(data ?? {}).every((value) => value === null);
