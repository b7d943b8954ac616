import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  type HeaderMap,
  type HTTPGraphQLRequest,
} from "@apollo/server";
import { ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import { stepUpChallenge } from "@factory/runtime/auth/step-up";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { GraphQLSchema } from "graphql";
import type { AdHocOperations } from "../ad-hoc-documents/ad-hoc-operations.js";
import {
  countInvalid,
  operationFields,
  type RateLimits,
  refusedByRate,
  refusedUnread,
} from "../admission/operation-charge.js";
import { deadlineOf, runInTime } from "../admission/operation-deadline.js";
import { tokenCheck } from "../admission/token-check.js";
import { documentLimits } from "../limits/document-limits.js";
import { publicErrors } from "../public-errors/public-error.js";
import { withoutSchemaDetails } from "../public-errors/schema-names.js";

type Options = ApolloServerOptionsWithGateway<RequestContext>;

export interface GraphqlServer {
  execute(
    request: HTTPGraphQLRequest,
    context: RequestContext,
  ): Promise<{ status: number; headers: HeaderMap; body: string }>;
  stop(): Promise<void>;
}

/** GraphQL over HTTP: Apollo Server speaks the protocol, the compiled executor answers. */
export async function startGraphqlServer(options: {
  operations: AdHocOperations;
  coreSupergraphSdl: string;
  introspection: boolean;
  limits: RateLimits;
  logger: Logger;
}): Promise<GraphqlServer> {
  const server = new ApolloServer<RequestContext>({
    gateway: compiledGateway(options),
    introspection: options.introspection,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: documentLimits.maxTokens },
    // both are left to the executor, which bounds what they cost and decides what is kept
    dangerouslyDisableValidation: true,
    documentStore: documentStore(options.operations),
    formatError: publicErrors({ logger: options.logger, schemaDetails: options.introspection }),
    plugins: [ApolloServerPluginLandingPageDisabled(), replayMark, refusedStatus, invalidCount(options.limits)],
    logger: options.logger,
  });
  await server.start();
  return {
    stop: () => server.stop(),
    async execute(httpGraphQLRequest, context) {
      const refusal = await refusedUnread(options.limits, context);
      if (refusal) throw refusal;
      const { status, headers, body } = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest,
        context: async () => context,
      });
      if (body.kind !== "complete") throw new Error("Incremental delivery is not offered");
      return { status: status ?? 200, headers, body: body.string };
    },
  };
}

const sha256Digits = 64;

/** Apollo's key ends in the SHA-256 of the text. What it has parsed it must not keep beside our cache. */
function documentStore(operations: AdHocOperations): NonNullable<Options["documentStore"]> {
  return {
    get: async (key) => operations.document(key.slice(-sha256Digits)),
    set: async () => undefined,
    delete: async () => false,
  };
}

function compiledGateway({
  operations,
  coreSupergraphSdl,
  introspection,
  limits,
}: {
  operations: AdHocOperations;
  coreSupergraphSdl: string;
  introspection: boolean;
  limits: RateLimits;
}): Options["gateway"] {
  const refusedWithoutToken = tokenCheck(coreSupergraphSdl);
  return {
    async load() {
      return {
        async executor({ document, source, request, context, operation }) {
          const caller = context as RequestContext;
          const { operationName, variables = {} } = request;
          const read = await operations.read({ text: source, document, operationName, variables }, caller);
          if ("errors" in read) return { errors: read.errors };
          const asked = { document, operation };
          const refusal = refusedWithoutToken(asked, caller) ?? (await refusedByRate(limits, asked, caller));
          if (refusal) return { errors: [refusal] };
          const deadlineMs = deadlineOf(operationFields(asked));
          const result = await runInTime(read.operation, { variables, context: caller, deadlineMs });
          const extensions = introspection ? undefined : withoutSchemaDetails(result.extensions);
          return extensions ? { ...result, extensions } : result;
        },
      };
    },
    onSchemaLoadOrUpdate(use) {
      use({ apiSchema: operations.apiSchema as GraphQLSchema, coreSupergraphSdl });
      return () => undefined;
    },
    async stop() {},
  };
}

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

/** Counts the documents that do not parse: Apollo refuses them alone. */
const invalidCount = (limits: RateLimits): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ contextValue, document }) {
        if (document === undefined) await countInvalid(limits, contextValue);
      },
    };
  },
});

/** Where all of an operation was refused for one reason, HTTP says so too. */
const refusedStatus: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response }) {
        if (response.body.kind !== "single") return;
        const { errors = [], data } = response.body.singleResult;
        const codes = new Set(errors.map(({ extensions }) => extensions?.["code"]));
        const [code] = codes.size === 1 ? codes : [];
        if (code === "UNAUTHENTICATED" || code === "AUTHENTICATION_TOO_OLD") {
          response.http.status = 401;
          response.http.headers.set("www-authenticate", code === "UNAUTHENTICATED" ? "Bearer" : stepUpChallenge);
        } else if (code === "RATE_LIMITED" || (code === "UNAVAILABLE" && isEmpty(data))) {
          response.http.status = code === "RATE_LIMITED" ? 429 : 503;
          const seconds = errors[0]?.extensions?.["retryAfterSeconds"];
          response.http.headers.set("retry-after", typeof seconds === "number" ? `${seconds}` : "1");
        } else if (code === "UPSTREAM_TIMEOUT") response.http.status = 504;
      },
    };
  },
};

const isEmpty = (data: Record<string, unknown> | null | undefined) =>
  Object.values(data ?? {}).every((value) => value === null);
