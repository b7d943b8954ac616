import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import { type ExecutionArgs, GraphQLError, parse, validate } from "graphql";
import { CloseCode, type Context } from "graphql-ws";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import { limitsRule, maxTokens } from "./document-limits-rule.js";
import type { SupergraphExecutor } from "./execution/supergraph.js";

export interface GraphqlSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

interface SocketState {
  principal: Principal;
  expiry: NodeJS.Timeout;
  operations: number;
}

type SocketContext = Context<Record<string, unknown>, { socket: { close(code: number, reason: string): void } }>;

const maxOperationsPerSocket = 100;
const maxSocketsPerPrincipal = 20;
const maxMessageBytes = 64 * 1024;
const initTimeoutMs = 10_000;
const longestTimerMs = 2_147_483_647;

/** graphql-transport-ws: authenticated by `authorization` in the init payload, closed with 4403 when the token expires. */
export function graphqlSockets(options: {
  executor: SupergraphExecutor<RequestContext>;
  verifier: Verifier;
  logger: Logger;
}): GraphqlSockets {
  const { executor, verifier } = options;
  const states = new WeakMap<object, SocketState>();
  const socketsOf = new Map<string, number>();
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });

  const connect = async (context: SocketContext) => {
    const principal = await principalFrom(context.connectionParams, verifier).catch(() => undefined);
    const { socket } = context.extra;
    const open = principal ? (socketsOf.get(principal.subject) ?? 0) : 0;
    // false closes with 4403, which clients may answer with a new token
    if (!principal || open >= maxSocketsPerPrincipal) return false;
    socketsOf.set(principal.subject, open + 1);
    const remainingMs = Math.min(principal.expiresAt * 1000 - Date.now(), longestTimerMs);
    const expiry = setTimeout(() => socket.close(CloseCode.Forbidden, "Token expired"), Math.max(remainingMs, 0));
    states.set(context.extra, { principal, expiry, operations: 0 });
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

  const handler = useServer<Record<string, unknown>, { socket: { close(code: number, reason: string): void } }>(
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
        const document = readOperation(executor, query);
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
      execute: (args) => run(executor, args),
      subscribe: (args) => subscribe(executor, args),
    },
    server,
  );

  return {
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, (client) => server.emit("connection", client, request));
    },
    async close() {
      await handler.dispose();
    },
  };
}

async function principalFrom(
  params: Readonly<Record<string, unknown>> | undefined,
  verifier: Verifier,
): Promise<Principal> {
  const given = params?.["authorization"] ?? params?.["Authorization"];
  const token = typeof given === "string" ? given.replace(/^bearer +/i, "") : undefined;
  if (token === undefined)
    throw new DomainError("UNAUTHENTICATED", { detail: "connection_init carries no authorization." });
  return verifier.verify(token);
}

function readOperation(executor: SupergraphExecutor<RequestContext>, query: string) {
  try {
    const document = parse(query, { maxTokens });
    const errors = validate(executor.apiSchema, document, undefined).concat(
      validate(executor.apiSchema, document, [limitsRule]),
    );
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
  // loaders remember entities: each event gets its own
  const contextForEvent = () => requestContext({ principal: context.principal, trace: context.trace });
  return executor
    .compile(document, operationName ?? undefined)
    .subscribe({ ...variableValues }, context, { contextForEvent });
}
