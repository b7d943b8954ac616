import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import { type ExecutionArgs, getOperationAST, type OperationDefinitionNode } from "graphql";
import { operationFields } from "../admission/operation-charge.js";
import { deadlineOf, runInTime } from "../admission/operation-deadline.js";
import type { CompiledOperation } from "../execution/compiled-operation.js";
import { ResponseStream } from "../execution/response-stream.js";
import type { Graph } from "../supergraph/graph.js";
import type { SocketChannel } from "./socket-channel.js";
import { subscriberGroup } from "./subscriber-group.js";

/** The arguments that graphql-ws passes from `onSubscribe` to `execute` and `subscribe`. */
export interface SocketOperation extends ExecutionArgs {
  readonly contextValue: RequestContext;
  readonly traceparent: string | undefined;
  readonly operation: CompiledOperation<RequestContext>;
  readonly graph: Graph;
  readonly channel: SocketChannel;
}

/** Runs a query or mutation within its deadline. The graph stays in use until the operation ends. */
export function runOperation({
  operation,
  graph,
  document,
  operationName,
  variableValues,
  contextValue: context,
}: SocketOperation) {
  const definition = getOperationAST(document, operationName) as OperationDefinitionNode;
  const deadlineMs = deadlineOf(operationFields({ document, operation: definition }));
  graph.enter();
  const onEnd = () => graph.leave();
  return runInTime(operation, { variables: { ...variableValues }, context, deadlineMs, onEnd });
}

/** Opens a subscription. Throws when the socket has no principal. */
export async function subscribeOperation(args: SocketOperation) {
  const { operation, graph, variableValues, contextValue, traceparent } = args;
  if (!contextValue.principal) throw new Error("A socket without a principal cannot subscribe");
  const { key: group, principal } = subscriberGroup(contextValue.principal);
  // Each event has its own context, with its own span.
  const contextForEvent = () => requestContext({ principal, trace: continueTrace(traceparent) });
  const stream = await operation.subscribe({ ...variableValues }, contextValue, { contextForEvent, group });
  if (stream instanceof ResponseStream) graph.addSubscription(stream);
  // graphql-ws keeps these arguments until the subscription ends. They would keep a replaced graph in memory.
  Object.assign(args, { schema: undefined, document: undefined, operation: undefined, graph: undefined });
  return stream;
}
