import { createHash } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { AdHocOperations } from "../ad-hoc-documents/ad-hoc-operations.js";
import type { PlanningLimits } from "../ad-hoc-documents/planning-thread.js";
import type { RateLimits } from "../admission/operation-charge.js";
import { operationFields } from "../admission/operation-charge.js";
import { deadlineOf, runInTime } from "../admission/operation-deadline.js";
import { type TokenCheck, tokenCheck } from "../admission/token-check.js";
import type { CompiledOperation } from "../execution/compiled-operation.js";
import type { ResponseStream } from "../execution/response-stream.js";
import { SupergraphExecutor } from "../execution/supergraph-executor.js";
import type { LoadedSupergraph } from "../query-planner/operation-planner.js";
import type { Subgraph } from "../subgraphs/subgraph.js";

/** The part that all graphs of this process share. */
export interface GraphOptions {
  readonly subgraphs: readonly Subgraph<RequestContext>[];
  readonly introspection: boolean;
  readonly limits: RateLimits;
  readonly logger: Logger;
  readonly planning?: Partial<PlanningLimits>;
}

/** A document of our own that was compiled for a graph, such as that of a REST route. */
export interface StoredDocument {
  readonly text: string;
  readonly operationName: string;
}

export interface PreparedOperation {
  run(variables: Record<string, unknown>, context: RequestContext): Promise<ExecutionResult>;
}

/** How long a subscriber may take to fetch the error that ends its subscription. */
const farewellMs = 5000;

/**
 * One supergraph with everything that is compiled for it: its executor, its planning thread, its cache of ad-hoc
 * operations, its stored documents, and the operations and subscriptions that run on it.
 */
export class Graph {
  /** The first digits of the SHA-256 of the SDL. */
  readonly id: string;
  readonly supergraphSdl: string;
  readonly operations: AdHocOperations;
  readonly refusedWithoutToken: TokenCheck;
  readonly #executor: SupergraphExecutor<RequestContext>;
  readonly #stored = new Map<string, StoredDocument & { readonly operation: CompiledOperation<RequestContext> }>();
  readonly #subscriptions = new Set<ResponseStream>();
  #running = 0;
  #onIdle: (() => void) | undefined;

  /** Throws when the supergraph is invalid or names a subgraph that is not connected. */
  constructor(supergraphSdl: string, options: GraphOptions, loaded?: LoadedSupergraph) {
    const { subgraphs, ...others } = options;
    this.id = createHash("sha256").update(supergraphSdl).digest("hex").slice(0, 12);
    this.supergraphSdl = supergraphSdl;
    const executor = SupergraphExecutor.fromSdl(supergraphSdl, subgraphs, loaded);
    this.#executor = executor;
    this.operations = new AdHocOperations({ executor, supergraphSdl, ...others });
    this.refusedWithoutToken = tokenCheck(supergraphSdl);
  }

  get apiSchema(): GraphQLSchema {
    return this.#executor.apiSchema;
  }

  /** The documents that `prepare` was asked for, so that the next graph can compile them before it serves. */
  get storedDocuments(): readonly StoredDocument[] {
    return [...this.#stored.values()];
  }

  /** How many subscriptions run on this graph. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /** Plans the documents in the thread. Throws an error that names the first one that does not fit the graph. */
  async compileStored(documents: readonly StoredDocument[]): Promise<void> {
    for (const { text, operationName } of documents) {
      const operation = await this.operations.compileStored(text, operationName).catch((cause: Error) => {
        throw new GraphQLError(`The stored operation ${operationName} does not fit the graph: ${cause.message}`);
      });
      this.#stored.set(text, { text, operationName, operation });
    }
  }

  /** A trusted document, validated, planned and compiled once. Throws when it does not fit the graph. */
  prepare(text: string, operationName: string): PreparedOperation {
    const document = parse(text);
    const operation = this.#stored.get(text)?.operation ?? this.#compile(text, operationName);
    this.#stored.set(text, { text, operationName, operation });
    const definition = getOperationAST(document, operationName) as OperationDefinitionNode;
    const deadlineMs = deadlineOf(operationFields({ document, operation: definition }));
    const onEnd = () => this.leave();
    return {
      run: (variables, context) => {
        this.enter();
        return runInTime(operation, { variables, context, deadlineMs, onEnd });
      },
    };
  }

  /** Counts something that runs on this graph, until `leave`. */
  enter(): void {
    this.#running += 1;
  }

  leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Keeps a subscription until it ends. */
  addSubscription(stream: ResponseStream): void {
    this.#subscriptions.add(stream);
    stream.onClose(() => this.#subscriptions.delete(stream));
  }

  /** Ends so many subscriptions, each with an error that tells its cursor. Resolves when none of them needs the graph. */
  async endSubscriptions(count = this.#subscriptions.size): Promise<void> {
    await Promise.all([...this.#subscriptions].slice(0, count).map((stream) => this.#endSubscription(stream)));
  }

  /** Resolves when nothing runs on this graph, or after the limit. Call it when nothing new comes. */
  async idle(limitMs: number): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs).unref();
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the planning thread. */
  async close(): Promise<void> {
    await this.operations.close();
  }

  async #endSubscription(stream: ResponseStream): Promise<void> {
    this.#subscriptions.delete(stream);
    await new Promise<void>((resolve) => {
      // a subscriber that does not read must not keep the graph
      const timer = setTimeout(() => {
        stream.detach(endingError);
        resolve();
      }, farewellMs);
      stream.onClose(() => {
        clearTimeout(timer);
        resolve();
      });
      void stream.end(endingError);
    });
  }

  #compile(text: string, operationName: string): CompiledOperation<RequestContext> {
    const document = parse(text);
    const errors = validate(this.apiSchema, document);
    if (errors.length > 0)
      throw new GraphQLError(`The stored operation ${operationName} does not fit the graph: ${errors.join("; ")}`);
    return this.#executor.compile(document, operationName);
  }
}

/** The cursor is known to the feed only, which tells it with its last item. */
function endingError(lastEvent: unknown): GraphQLError {
  const reason =
    lastEvent instanceof FeedEnd
      ? lastEvent.reason
      : new DomainError("UNAVAILABLE", {
          detail: "The platform ended the subscription, because its graph was replaced. Subscribe again.",
        });
  return toGraphqlError(reason, requestContext({ principal: undefined, trace: continueTrace(undefined) }));
}
