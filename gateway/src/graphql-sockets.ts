import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { concerns, type Revocation } from "@factory/runtime/auth/revocations";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { CloseCode, type Context } from "graphql-ws";
import { useServer } from "graphql-ws/use/ws";
import { WebSocket, WebSocketServer } from "ws";
import { limitsRule, maxTokens } from "./document-limits-rule.js";
import type { SupergraphExecutor } from "./execution/supergraph.js";
import { type RateLimits, refusedByRate } from "./operation-charge.js";
import { publicErrors } from "./public-error.js";
import { subscriberGroup } from "./subscriber-group.js";

export interface GraphqlSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes the sockets whose tokens do not verify any more. */
  revoked(revocation: Revocation): void;
  close(): Promise<void>;
}

interface SocketState {
  principal: Principal;
  token: string;
  expiry: NodeJS.Timeout;
  operations: number;
}

type ServerSocket = Pick<WebSocket, "readyState" | "close">;

type SocketContext = Context<Record<string, unknown>, { socket: ServerSocket }>;

const maxOperationsPerSocket = 100;
const maxSocketsPerPrincipal = 20;
const maxMessageBytes = 64 * 1024;
const initTimeoutMs = 10_000;
const longestTimerMs = 2_147_483_647;

/** graphql-transport-ws: authenticated by `authorization` in the init payload, closed with 4403 when the token expires. */
export function graphqlSockets(options: {
  executor: SupergraphExecutor<RequestContext>;
  verifier: Verifier;
  introspection: boolean;
  limits: RateLimits;
  logger: Logger;
}): GraphqlSockets {
  const { executor, verifier, introspection, limits } = options;
  const publicError = publicErrors({ logger: options.logger, schemaDetails: introspection });
  const states = new Map<SocketContext["extra"], SocketState>();
  const socketsOf = new Map<string, number>();
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });

  const connect = async (context: SocketContext) => {
    const token = tokenFrom(context.connectionParams);
    const principal = token === undefined ? undefined : await verifier.verify(token).catch(() => undefined);
    const { socket } = context.extra;
    const open = principal ? (socketsOf.get(principal.subject) ?? 0) : 0;
    // nobody tells of the end of a socket that has gone before it was acknowledged
    if (socket.readyState !== WebSocket.OPEN) return false;
    // false closes with 4403, which clients may answer with a new token
    if (token === undefined || !principal || open >= maxSocketsPerPrincipal) return false;
    socketsOf.set(principal.subject, open + 1);
    const remainingMs = Math.min(principal.expiresAt * 1000 - Date.now(), longestTimerMs);
    const expiry = setTimeout(() => socket.close(CloseCode.Forbidden, "Token expired"), Math.max(remainingMs, 0));
    states.set(context.extra, { principal, token, expiry, operations: 0 });
    return true;
  };

  const disconnect = (context: SocketContext) => {
    const state = states.get(context.extra);
    if (!state) return;
    clearTimeout(state.expiry);
    states.delete(context.extra);
    const left = (socketsOf.get(state.principal.subject) ?? 1) - 1;
    if (left > 0) socketsOf.set(state.principal.subject, left);
    else socketsOf.delete(state.principal.subject);
  };

  const refusal = async (args: ExecutionArgs): Promise<ExecutionResult | undefined> => {
    const operation = getOperationAST(args.document, args.operationName) as OperationDefinitionNode;
    const error = await refusedByRate(
      limits,
      { document: args.document, operation },
      args.contextValue as RequestContext,
    );
    return error && { errors: [error] };
  };

  const handler = useServer<Record<string, unknown>, { socket: ServerSocket }>(
    {
      connectionInitWaitTimeout: initTimeoutMs,
      onConnect: connect,
      onDisconnect: disconnect,
      onSubscribe(context, _id, { query, operationName, variables }) {
        const state = states.get(context.extra);
        if (!state)
          return [new GraphQLError("The socket is not authenticated.", { extensions: { code: "UNAUTHENTICATED" } })];
        if (state.operations >= maxOperationsPerSocket)
          return [
            new GraphQLError(`At most ${maxOperationsPerSocket} operations run on one socket.`, {
              extensions: { code: "TOO_COMPLEX" },
            }),
          ];
        const document = readOperation(executor, { query, operationName, introspection });
        if (Array.isArray(document)) return document;
        state.operations += 1;
        const contextValue = requestContext({ principal: state.principal, trace: continueTrace(undefined) });
        return {
          schema: executor.apiSchema,
          document,
          operationName,
          variableValues: variables,
          contextValue,
        } as ExecutionArgs;
      },
      onComplete(context) {
        const state = states.get(context.extra);
        if (state) state.operations -= 1;
      },
      execute: async (args) => (await refusal(args)) ?? run(executor, args),
      subscribe: async (args) => (await refusal(args)) ?? subscribe(executor, args),
      onError: (_context, _id, _payload, errors) => errors.map((error) => publicError(error.toJSON(), error)),
      onNext: (_context, _id, _payload, _args, { data, errors }) =>
        errors && {
          ...(data === undefined ? {} : { data }),
          errors: errors.map((error) => publicError(error.toJSON(), error)),
        },
    },
    server,
  );

  return {
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, (client) => server.emit("connection", client, request));
    },
    revoked(revocation) {
      for (const [{ socket }, { principal, token }] of states)
        if (concerns(revocation, principal))
          verifier.verify(token).catch(() => socket.close(CloseCode.Forbidden, "Token revoked"));
    },
    async close() {
      await handler.dispose();
    },
  };
}

function tokenFrom(params: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const given = params?.["authorization"] ?? params?.["Authorization"];
  return typeof given === "string" ? given.replace(/^bearer +/i, "") : undefined;
}

function readOperation(
  executor: SupergraphExecutor<RequestContext>,
  asked: { query: string; operationName?: string | null | undefined; introspection: boolean },
) {
  const { query, operationName, introspection } = asked;
  try {
    const document = parse(query, { maxTokens });
    const errors = validate(executor.apiSchema, document, undefined).concat(
      validate(executor.apiSchema, document, [limitsRule, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])]),
    );
    if (errors.length === 0 && !getOperationAST(document, operationName))
      return [new GraphQLError("The document holds no operation of this name, or several and none was named.")];
    return errors.length > 0 ? errors : document;
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

function run(
  executor: SupergraphExecutor<RequestContext>,
  { document, operationName, variableValues, contextValue }: ExecutionArgs,
) {
  return executor
    .compile(document, operationName ?? undefined)
    .execute({ ...variableValues }, contextValue as RequestContext);
}

function subscribe(
  executor: SupergraphExecutor<RequestContext>,
  { document, operationName, variableValues, contextValue }: ExecutionArgs,
) {
  const context = contextValue as RequestContext;
  if (!context.principal) throw new Error("A socket without a principal subscribes to nothing");
  const { key: group, principal } = subscriberGroup(context.principal);
  // loaders remember entities: each event gets its own, and a trace that is no single subscriber's
  const contextForEvent = () => requestContext({ principal, trace: continueTrace(undefined) });
  return executor
    .compile(document, operationName ?? undefined)
    .subscribe({ ...variableValues }, context, { contextForEvent, group });
}
