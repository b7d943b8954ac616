import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import { type RefusalSink, unauditedRefusals } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import {
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from "graphql";
import {
  chargeWork,
  countInvalid,
  operationFields,
  type RateLimits,
  refusedByRate,
} from "../admission/operation-charge.js";
import { deadlineOf, runInTime } from "../admission/operation-deadline.js";
import { noteRefusedFields } from "../admission/refused-fields.js";
import type { CompiledOperation } from "../execution/compiled-operation.js";
import { ResponseStream } from "../execution/response-stream.js";
import { PersistedDocuments } from "../persisted-documents/persisted-documents.js";
import { publicErrors } from "../public-errors/public-error.js";
import { withoutSchemaDetails } from "../public-errors/schema-names.js";
import type { Graph } from "../supergraph/graph.js";
import type { ServingGraphs } from "../supergraph/serving-graphs.js";
import { subscriberGroup } from "./subscriber-group.js";

interface AskedOperation {
  /** The document. It may be absent where one of the two next members names it. */
  readonly query: string | undefined;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** An operation whose document was read. Its graph stays in use until the operation was run or left. */
export interface LiveOperation {
  readonly graph: Graph;
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly operation: CompiledOperation<RequestContext>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
}

interface LiveOptions {
  readonly graphs: Pick<ServingGraphs, "current">;
  /** Absent: the operator has given none. */
  readonly persisted?: PersistedDocuments | undefined;
  readonly introspection: boolean;
  readonly limits: RateLimits;
  /** Takes refused operations for the audit log; absent: they are dropped. */
  readonly refusals?: RefusalSink | undefined;
  readonly logger: Logger;
}

interface OperationRun {
  /** Called when the rate limits have counted the operation, and have not refused it. */
  readonly onCounted?: () => void;
}

interface SubscriptionRun extends OperationRun {
  /** Each event's work continues this trace. */
  readonly traceparent: string | undefined;
}

const noDocuments = new PersistedDocuments();

/** The members of an ExecutionResult, which graphql-ws also sets to undefined. */
type AnyResult = { [Member in keyof ExecutionResult]: ExecutionResult[Member] | undefined };

/** The operations of doors that can also run subscriptions: websockets and event streams. */
export class LiveOperations {
  readonly #options: LiveOptions;
  readonly #refusals: RefusalSink;
  readonly #publicError: ReturnType<typeof publicErrors>;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#refusals = options.refusals ?? unauditedRefusals;
    this.#publicError = publicErrors({
      logger: options.logger,
      schemaDetails: options.introspection,
      graphs: options.graphs,
    });
  }

  /** Reads a document with the graph that serves now. `run`, `subscribe` or `leave` must follow. */
  async read(
    { operationName, variables, ...named }: AskedOperation,
    context: RequestContext,
  ): Promise<LiveOperation | { readonly errors: readonly GraphQLError[] }> {
    const text = this.#textOf(named, context);
    if (typeof text !== "string") return { errors: [text] };
    const graph = this.#options.graphs.current;
    graph.enter();
    const readOperation = await graph.operations.read({ text, operationName, variables }, context);
    if ("errors" in readOperation) {
      graph.leave();
      return readOperation;
    }
    const { document, operation } = readOperation;
    const definition = getOperationAST(document, operationName) as OperationDefinitionNode;
    return { graph, document, definition, operation, variables, context };
  }

  /** Gives up an operation that was read. */
  leave({ graph }: LiveOperation): void {
    graph.leave();
  }

  /** Runs a query or mutation within its deadline, on the graph that read it, even if this graph has been replaced. */
  run(live: LiveOperation, { onCounted }: OperationRun = {}): Promise<ExecutionResult> {
    return this.#onItsGraph(live, onCounted, () => {
      const { graph, document, definition, operation, variables, context } = live;
      const deadlineMs = deadlineOf(operationFields({ document, operation: definition }));
      graph.enter();
      const onEnd = () => graph.leave();
      return runInTime(operation, { variables: { ...variables }, context, deadlineMs, onEnd });
    });
  }

  /** Opens a subscription. Throws when the caller has no principal. */
  subscribe(
    live: LiveOperation,
    { onCounted, traceparent }: SubscriptionRun,
  ): Promise<ResponseStream | ExecutionResult> {
    return this.#onItsGraph<ResponseStream | ExecutionResult>(live, onCounted, async () => {
      const { graph, operation, variables, context } = live;
      if (!context.principal) throw new Error("A caller without a principal cannot subscribe");
      const { key: group, principal } = subscriberGroup(context.principal);
      // Each event has its own context, with its own span.
      const contextForEvent = () => requestContext({ principal, trace: continueTrace(traceparent), isShared: true });
      const stream = await operation.subscribe({ ...variables }, context, { contextForEvent, group });
      if (stream instanceof ResponseStream) graph.addSubscription(stream);
      return stream;
    });
  }

  /** The public form of errors. */
  publicErrors(errors: readonly GraphQLError[]): FormattedExecutionResult["errors"] & {} {
    return errors.map((error) => this.#publicError(error.toJSON(), error));
  }

  /** The public form of a result. It is the same object when nothing in it must be hidden. */
  publicResult(result: AnyResult): FormattedExecutionResult {
    const { data, errors, extensions } = result;
    const publicExtensions = this.#options.introspection ? undefined : withoutSchemaDetails(extensions);
    // without errors the two types are the same
    if (!errors && !publicExtensions) return result as FormattedExecutionResult;
    return {
      ...(data === undefined ? {} : { data }),
      ...(errors ? { errors: this.publicErrors(errors) } : {}),
      ...(errors || !publicExtensions ? {} : { extensions: publicExtensions }),
    };
  }

  #textOf(named: Parameters<PersistedDocuments["textOf"]>[0], context: RequestContext): string | GraphQLError {
    const { persisted = noDocuments, limits } = this.#options;
    try {
      return persisted.knownTextOf(named);
    } catch (error) {
      countInvalid(limits, context);
      return toGraphqlError(error, context);
    }
  }

  /** Counts the operation in the rate limits, runs it, and charges its work. */
  async #onItsGraph<Result>(
    live: LiveOperation,
    onCounted: (() => void) | undefined,
    work: () => Promise<Result>,
  ): Promise<Result | ExecutionResult> {
    const { graph, document, definition: operation, variables, context } = live;
    const { limits } = this.#options;
    try {
      const refusal = await refusedByRate(limits, { document, operation }, context);
      if (!refusal) onCounted?.();
      const result = refusal ? { errors: [refusal] } : await work();
      const { errors } = result as ExecutionResult;
      chargeWork(limits, { operation }, context);
      if (errors) noteRefusedFields(this.#refusals, { document, operation, variables, context }, errors);
      return result;
    } finally {
      graph.leave();
    }
  }
}
