import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { concerns, type Revocation } from "@factory/runtime/auth/revocations";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { isUnavailable } from "@factory/runtime/errors/unavailable";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import type { Origin } from "@factory/runtime/messages/audit-record";
import { type RefusalSink, unauditedRefusals } from "@factory/runtime/messages/refusal";
import { PrincipalSeats } from "@factory/runtime/platform-limits/principal-seats";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { type ExecutionResult, GraphQLError, getOperationAST, type OperationDefinitionNode } from "graphql";
import { CloseCode, type Context, handleProtocols, makeServer } from "graphql-ws";
import { WebSocketServer } from "ws";
import { chargeWork, type RateLimits, refusedByRate, refusedUnread } from "../admission/operation-charge.js";
import { noteRefusedFields, noteRefusedToken } from "../admission/refused-fields.js";
import { publicErrors } from "../public-errors/public-error.js";
import { withoutSchemaDetails } from "../public-errors/schema-names.js";
import type { ServingGraphs } from "../supergraph/serving-graphs.js";
import { headerFrom, tokenFrom } from "./connection-parameters.js";
import { type ChannelLimits, defaultChannelLimits, SocketChannel } from "./socket-channel.js";
import { runOperation, type SocketOperation, subscribeOperation } from "./socket-operation.js";
import { type Seat, SocketSeats } from "./socket-seats.js";

/** This process's websockets. */
export interface GraphqlSockets {
  /** The authenticated sockets, and the subscriptions on them. */
  readonly open: { readonly sockets: number; readonly subscriptions: number };
  /** Throws a DomainError when too many sockets are open. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes the sockets whose tokens this revocation makes invalid. */
  revoked(revocation: Revocation): void;
  close(): Promise<void>;
}

interface SocketState {
  principal: Principal;
  token: string;
  /** The trace from `connection_init`. The socket's operations continue this trace. */
  traceparent: string | undefined;
  expiry: NodeJS.Timeout;
  operations: number;
  /**
   * The streams, keyed by subscribe message. A client may use an operation id again before the first operation has
   * ended.
   */
  readonly streams: Map<object, AsyncIterable<unknown>>;
}

interface Connection {
  readonly channel: SocketChannel;
  readonly seat: Seat;
  readonly origin: Origin;
}

type SocketContext = Context<Record<string, unknown>, Connection>;

const maxOperationsPerSocket = 100;
const maxMessageBytes = 64 * 1024;
const initTimeoutMs = 10_000;
const goingAway = 1001;
/** The close code Try Again Later, from the IANA registry (RFC 6455, section 11.7). */
const tryAgainLater = 1013;
/** The platform's close code: the principal has too many sockets. The protocol uses 4429 for something else. */
const tooManySockets = 4420;
const maxSocketsPerPrincipal = 20;
const longestTimerMs = 2_147_483_647;

/**
 * Serves the protocol graphql-transport-ws. A socket is authenticated by `authorization` in the payload of
 * `connection_init`, or in its `headers`. It is closed with 4403 when its token expires, and with 4420 when its principal
 * has too many sockets.
 */
export function graphqlSockets(options: {
  graphs: Pick<ServingGraphs, "current">;
  verifier: Verifier;
  introspection: boolean;
  limits: RateLimits;
  /** Takes refused operations for the audit log; absent: they are dropped. */
  refusals?: RefusalSink;
  logger: Logger;
  seats?: SocketSeats;
  /** Each principal's sockets over all processes. */
  principals?: PrincipalSeats;
  channelLimits?: ChannelLimits;
}): GraphqlSockets {
  const {
    graphs,
    verifier,
    introspection,
    limits,
    refusals = unauditedRefusals,
    seats = new SocketSeats(),
    principals = new PrincipalSeats(maxSocketsPerPrincipal),
    channelLimits = defaultChannelLimits,
  } = options;
  const publicError = publicErrors({ logger: options.logger, schemaDetails: introspection, graphs });
  const states = new Map<Connection, SocketState>();

  const connect = async (context: SocketContext) => {
    const token = tokenFrom(context.connectionParams);
    const { channel, seat, origin } = context.extra;
    if (token === undefined) channel.close(CloseCode.Forbidden, "No token in connection_init");
    const principal =
      token === undefined
        ? undefined
        : await verifier.verify(token).catch((error: unknown) => {
            noteRefusedToken(refusals, error, origin);
            return refuse(channel, "Token not valid")(error);
          });
    // Returning false closes the socket with 4403. The client may then connect again with a new token.
    if (token === undefined || !principal || !channel.isOpen) return false;
    if (!(await principals.take(principal.subject))) {
      channel.close(tooManySockets, "Too many sockets");
      return false;
    }
    // graphql-ws does not report that a socket has ended when it closes before the acknowledgment.
    if (!channel.isOpen) {
      principals.leave(principal.subject);
      return false;
    }
    seat.known();
    const remainingMs = Math.min(principal.expiresAt * 1000 - Date.now(), longestTimerMs);
    const expiry = setTimeout(() => channel.close(CloseCode.Forbidden, "Token expired"), Math.max(remainingMs, 0));
    const traceparent = headerFrom(context.connectionParams, "traceparent");
    states.set(context.extra, { principal, token, traceparent, expiry, operations: 0, streams: new Map() });
    return true;
  };

  const disconnect = async (context: SocketContext) => {
    const state = states.get(context.extra);
    if (!state) return;
    clearTimeout(state.expiry);
    states.delete(context.extra);
    principals.leave(state.principal.subject);
    // graphql-ws ends only operations whose id it knows. It forgets an id when one operation with this id ends,
    // although another operation with the same id may still run.
    await Promise.all([...state.streams.values()].map(async (stream) => stream[Symbol.asyncIterator]().return?.()));
  };

  const refusal = async (args: SocketOperation): Promise<ExecutionResult | undefined> => {
    const operation = getOperationAST(args.document, args.operationName) as OperationDefinitionNode;
    const error = await refusedByRate(limits, { document: args.document, operation }, args.contextValue);
    if (error) return { errors: [error] };
    args.channel.countedElsewhere();
    return undefined;
  };

  /** Runs an operation on the graph that read its document, even if this graph has been replaced meanwhile. */
  const onItsGraph = async <Result>(
    args: SocketOperation,
    work: (args: SocketOperation) => Promise<Result>,
  ): Promise<Result | ExecutionResult> => {
    const { graph, document, operationName, variableValues, contextValue: context } = args;
    try {
      const result = (await refusal(args)) ?? (await work(args));
      const { errors } = result as ExecutionResult;
      const operation = getOperationAST(document, operationName);
      if (operation) chargeWork(limits, { operation }, context);
      if (errors && operation)
        noteRefusedFields(refusals, { document, operation, variables: variableValues ?? undefined, context }, errors);
      return result;
    } finally {
      graph.leave();
    }
  };

  const protocol = makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: initTimeoutMs,
    onConnect: connect,
    onDisconnect: disconnect,
    async onSubscribe(context, id, { query, operationName, variables }) {
      const state = states.get(context.extra);
      if (!state)
        return [
          new GraphQLError("The socket is not authenticated. Send connection_init with a token first.", {
            extensions: { code: "UNAUTHENTICATED" },
          }),
        ];
      // graphql-ws forgets the id when the client completes the operation, and all ids when the socket closes.
      const signal = {
        get aborted() {
          return !(id in context.subscriptions);
        },
      };
      const { principal, traceparent } = state;
      const { origin } = context.extra;
      const contextValue = requestContext({ principal, trace: continueTrace(traceparent), signal, ...origin });
      const unread = await refusedUnread(limits, contextValue);
      if (unread) return [toGraphqlError(unread, contextValue)];
      if (state.operations >= maxOperationsPerSocket)
        return [
          new GraphQLError(
            `At most ${maxOperationsPerSocket} operations may run on one socket. Complete one of them first.`,
            {
              extensions: { code: "TOO_COMPLEX" },
            },
          ),
        ];
      state.operations += 1;
      const askedDocument = { text: query, operationName: operationName ?? undefined, variables: variables ?? {} };
      const graph = graphs.current;
      graph.enter();
      const readOperation = await graph.operations.read(askedDocument, contextValue);
      if ("errors" in readOperation) {
        graph.leave();
        state.operations -= 1;
        return readOperation.errors;
      }
      return {
        schema: graph.apiSchema,
        document: readOperation.document,
        operationName,
        variableValues: variables,
        contextValue,
        traceparent,
        operation: readOperation.operation,
        graph,
        channel: context.extra.channel,
      } as SocketOperation;
    },
    onOperation(context, _id, payload, _args, result) {
      if (Symbol.asyncIterator in result) states.get(context.extra)?.streams.set(payload, result);
    },
    onComplete(context, _id, payload) {
      const state = states.get(context.extra);
      if (!state) return;
      state.operations -= 1;
      state.streams.delete(payload);
    },
    execute: (args) => onItsGraph(args as SocketOperation, runOperation),
    subscribe: (args) => onItsGraph(args as SocketOperation, subscribeOperation),
    onError: (_context, _id, _payload, errors) => errors.map((error) => publicError(error.toJSON(), error)),
    onNext: (_context, _id, _payload, _args, { data, errors, extensions }) => {
      const publicExtensions = introspection ? undefined : withoutSchemaDetails(extensions);
      if (!errors && !publicExtensions) return undefined;
      return {
        ...(data === undefined ? {} : { data }),
        ...(errors ? { errors: errors.map((error) => publicError(error.toJSON(), error)) } : {}),
        ...(errors || !publicExtensions ? {} : { extensions: publicExtensions }),
      };
    },
  });
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols,
    ...{ closeTimeout: channelLimits.closeMs },
  });

  return {
    get open() {
      const streams = [...states.values()].map((state) => state.streams.size);
      return { sockets: states.size, subscriptions: streams.reduce((sum, count) => sum + count, 0) };
    },
    upgrade(request, socket, head) {
      const origin = originOfRequest(request);
      const seat = seats.take(origin.address);
      socket.once("close", () => seat.leave());
      server.handleUpgrade(request, socket, head, (client) => {
        const channel = new SocketChannel(client, channelLimits);
        const reportClose = protocol.opened(channel, { channel, seat, origin });
        client.once("close", (code, reason) => {
          reportClose(code, reason.toString()).catch((error: unknown) =>
            options.logger.error({ err: error }, "the operations of a closed websocket could not be ended"),
          );
        });
      });
    },
    revoked(revocation) {
      for (const [{ channel }, { principal, token }] of states)
        if (concerns(revocation, principal)) verifier.verify(token).catch(refuse(channel, "Token revoked"));
    },
    async close() {
      for (const client of server.clients) client.close(goingAway, "Going away");
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Returns an error handler that closes a socket with a refused token. The close reason is the error code if the tenant
 * is the problem. Code 1013 means that the verifier could not decide, so a new token would not help.
 */
function refuse(channel: SocketChannel, reason: string): (error: unknown) => undefined {
  return (error) => {
    if (isUnavailable(error)) channel.close(tryAgainLater, "Unavailable");
    else {
      const code = error instanceof DomainError && error.code.startsWith("TENANT_") ? error.code : reason;
      channel.close(CloseCode.Forbidden, code);
    }
  };
}
