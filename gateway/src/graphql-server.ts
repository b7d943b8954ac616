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
import { GraphQLError, type GraphQLSchema } from "graphql";
import { tokenCheck } from "./anonymous-fields.js";
import { limitsRule, maxTokens } from "./document-limits-rule.js";
import type { SupergraphExecutor } from "./execution/supergraph.js";
import { countInvalid, operationFields, type RateLimits, refusedByRate, refusedUnread } from "./operation-charge.js";
import { deadlineOf, runInTime } from "./operation-deadline.js";
import { publicErrors } from "./public-error.js";

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
    parseOptions: { maxTokens },
    validationRules: [limitsRule],
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

function compiledGateway({
  executor,
  coreSupergraphSdl,
  limits,
}: {
  executor: SupergraphExecutor<RequestContext>;
  coreSupergraphSdl: string;
  limits: RateLimits;
}): ApolloServerOptionsWithGateway<RequestContext>["gateway"] {
  const refusedWithoutToken = tokenCheck(coreSupergraphSdl);
  return {
    async load() {
      return {
        async executor({ document, request, context, operation }) {
          // with a gateway Apollo leaves a name that no operation has to us
          if ((operation as typeof operation | undefined) === undefined) return { errors: [unknownOperation()] };
          const caller = context as RequestContext;
          const asked = { document, operation };
          const refusal = refusedWithoutToken(asked, caller) ?? (await refusedByRate(limits, asked, caller));
          if (refusal) return { errors: [refusal] };
          const compiled = executor.compile(document, operation.name?.value);
          const deadlineMs = deadlineOf(operationFields(asked));
          return runInTime(compiled, { variables: request.variables ?? {}, context: caller, deadlineMs });
        },
      };
    },
    onSchemaLoadOrUpdate(use) {
      use({ apiSchema: executor.apiSchema as GraphQLSchema, coreSupergraphSdl });
      return () => undefined;
    },
    async stop() {},
  };
}

const unknownOperation = () =>
  new GraphQLError("The document holds no operation of this name, or several and none was named.", {
    extensions: { code: "VALIDATION_FAILED" },
  });

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

/** Counts the documents that hold no operation to run: no rule after this one ever sees them. */
const invalidCount = (limits: RateLimits): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ contextValue, operation }) {
        if (operation === undefined) await countInvalid(limits, contextValue);
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
        if (code === "UNAUTHENTICATED") {
          response.http.status = 401;
          response.http.headers.set("www-authenticate", "Bearer");
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
