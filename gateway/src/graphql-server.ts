import {
  ApolloServer,
  type ApolloServerOptionsWithGateway,
  type ApolloServerPlugin,
  type HeaderMap,
  type HTTPGraphQLRequest,
} from "@apollo/server";
import { ApolloServerPluginLandingPageDisabled } from "@apollo/server/plugin/disabled";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { GraphQLFormattedError, GraphQLSchema } from "graphql";
import { limitsRule, maxTokens } from "./document-limits-rule.js";
import type { SupergraphExecutor } from "./execution/supergraph.js";

export interface GraphqlServer {
  execute(
    request: HTTPGraphQLRequest,
    context: RequestContext,
  ): Promise<{ status: number; headers: HeaderMap; body: string }>;
  stop(): Promise<void>;
}

/** GraphQL over HTTP: Apollo Server speaks the protocol, the compiled executor answers. */
export async function startGraphqlServer(options: {
  executor: SupergraphExecutor<RequestContext>;
  coreSupergraphSdl: string;
  introspection: boolean;
  logger: Logger;
}): Promise<GraphqlServer> {
  const server = new ApolloServer<RequestContext>({
    gateway: compiledGateway(options.executor, options.coreSupergraphSdl),
    introspection: options.introspection,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    validationRules: [limitsRule],
    formatError: closedCode,
    plugins: [ApolloServerPluginLandingPageDisabled(), replayMark, unauthenticatedStatus],
    logger: options.logger,
  });
  await server.start();
  return {
    stop: () => server.stop(),
    async execute(httpGraphQLRequest, context) {
      const { status, headers, body } = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest,
        context: async () => context,
      });
      if (body.kind !== "complete") throw new Error("Incremental delivery is not offered");
      return { status: status ?? 200, headers, body: body.string };
    },
  };
}

function compiledGateway(
  executor: SupergraphExecutor<RequestContext>,
  coreSupergraphSdl: string,
): ApolloServerOptionsWithGateway<RequestContext>["gateway"] {
  return {
    async load() {
      return {
        executor: ({ document, request, context, operation }) =>
          executor.compile(document, operation.name?.value).execute(request.variables ?? {}, context as RequestContext),
      };
    },
    onSchemaLoadOrUpdate(use) {
      use({ apiSchema: executor.apiSchema as GraphQLSchema, coreSupergraphSdl });
      return () => undefined;
    },
    async stop() {},
  };
}

/** Apollo's own codes, in the words of the closed list. */
const apolloCodes: Record<string, string> = {
  GRAPHQL_PARSE_FAILED: "VALIDATION_FAILED",
  GRAPHQL_VALIDATION_FAILED: "VALIDATION_FAILED",
  BAD_USER_INPUT: "VALIDATION_FAILED",
  BAD_REQUEST: "VALIDATION_FAILED",
  OPERATION_RESOLUTION_FAILURE: "VALIDATION_FAILED",
  PERSISTED_QUERY_NOT_SUPPORTED: "PERSISTED_QUERY_NOT_FOUND",
  DOWNSTREAM_SERVICE_ERROR: "UPSTREAM_FAILED",
  INTERNAL_SERVER_ERROR: "INTERNAL",
};

function closedCode(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const given = formatted.extensions?.["code"];
  const code = typeof given === "string" ? given : "INTERNAL";
  return { ...formatted, extensions: { ...formatted.extensions, code: apolloCodes[code] ?? code } };
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

const unauthenticatedStatus: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response }) {
        if (response.body.kind !== "single") return;
        const { errors } = response.body.singleResult;
        if (!errors?.length || !errors.every(({ extensions }) => extensions?.["code"] === "UNAUTHENTICATED")) return;
        response.http.status = 401;
        response.http.headers.set("www-authenticate", "Bearer");
      },
    };
  },
};
