import { createHash } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
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
import type { PersistedDocuments } from "../persisted-documents/persisted-documents.js";
import type { PlanData, Planner } from "../query-planner/planner.js";
import type { Subgraph } from "../subgraphs/subgraph.js";
import { misfit, type StoredDocument } from "./stored-document.js";

/** The options that all graphs in this process share. */
export interface GraphOptions {
  readonly subgraphs: readonly Subgraph<RequestContext>[];
  readonly introspection: boolean;
  readonly limits: RateLimits;
  readonly logger: Logger;
  readonly planning?: Partial<PlanningLimits>;
  /** A graph that they do not fit is not served. */
  readonly persisted?: PersistedDocuments;
}

interface PlannedSupergraph {
  readonly planner: Planner;
  /** A stored document's text -> its plans. */
  readonly plans?: ReadonlyMap<string, PlanData>;
}

interface PreparedOperation {
  run(variables: Record<string, unknown>, context: RequestContext): Promise<ExecutionResult>;
}

/** The time (ms) that a subscriber has to fetch the error that ends its subscription. */
const farewellMs = 5000;

/**
 * One supergraph and everything that belongs to it: its executor, its planning thread, its ad-hoc operation cache, its
 * stored documents, and the operations and subscriptions that run on it.
 */
export class Graph {
  /** The first 12 hexadecimal digits in the SDL's SHA-256. */
  readonly id: string;
  readonly supergraphSdl: string;
  readonly operations: AdHocOperations;
  readonly refusedWithoutToken: TokenCheck;
  readonly #executor: SupergraphExecutor<RequestContext>;
  readonly #plans: ReadonlyMap<string, PlanData>;
  readonly #stored = new Map<string, StoredDocument & { operation: CompiledOperation<RequestContext> | undefined }>();
  readonly #subscriptions = new Set<ResponseStream>();
  #running = 0;
  #onIdle: (() => void) | undefined;

  /** Throws when the supergraph names a subgraph that is not connected. `plans` are a build's. */
  constructor(supergraphSdl: string, options: GraphOptions, { planner, plans = new Map() }: PlannedSupergraph) {
    const { subgraphs, ...others } = options;
    this.id = createHash("sha256").update(supergraphSdl).digest("hex").slice(0, 12);
    this.supergraphSdl = supergraphSdl;
    const executor = new SupergraphExecutor(planner, subgraphs);
    this.#executor = executor;
    this.#plans = plans;
    this.operations = new AdHocOperations({ executor, supergraphSdl, ...others });
    this.refusedWithoutToken = tokenCheck(executor.supergraphSchema);
  }

  get apiSchema(): GraphQLSchema {
    return this.#executor.apiSchema;
  }

  /** The schema with inaccessible elements. Its syntax trees hold the directives of the supergraph's SDL. */
  get supergraphSchema(): GraphQLSchema {
    return this.#executor.supergraphSchema;
  }

  /** The documents that `prepare` received. The next graph compiles them before it serves requests. */
  get storedDocuments(): readonly StoredDocument[] {
    return [...this.#stored.values()];
  }

  /** How many subscriptions run on this graph. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /** Plans the documents in the planning thread. The error names the first operation that does not fit the graph. */
  async compileStored(documents: readonly StoredDocument[]): Promise<void> {
    for (const { text, operationName } of documents) {
      const operation = await this.operations.compileStored(text, operationName).catch((cause: Error) => {
        throw misfit(operationName, cause.message);
      });
      this.#stored.set(text, { text, operationName, operation });
    }
  }

  /**
   * Validates, plans and compiles a trusted document once. Throws when the document does not fit the graph. A document
   * that the build has planned fits, so it is compiled for its first request.
   */
  prepare(text: string, operationName: string): PreparedOperation {
    let ready = this.#plans.has(text) ? undefined : this.#readyOperation(text, operationName);
    this.#stored.set(text, { operation: this.#stored.get(text)?.operation, text, operationName });
    const onEnd = () => this.leave();
    return {
      run: (variables, context) => {
        this.enter();
        ready ??= this.#readyOperation(text, operationName);
        return runInTime(ready.operation, { variables, context, deadlineMs: ready.deadlineMs, onEnd });
      },
    };
  }

  /** Counts an operation or request that runs on this graph. Call `leave` when it ends. */
  enter(): void {
    this.#running += 1;
  }

  leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Registers a subscription until it ends. */
  addSubscription(stream: ResponseStream): void {
    this.#subscriptions.add(stream);
    stream.onClose(() => this.#subscriptions.delete(stream));
  }

  /** Ends `count` subscriptions, each with an error that tells its cursor. Resolves when none uses the graph. */
  async endSubscriptions(count = this.#subscriptions.size): Promise<void> {
    await Promise.all([...this.#subscriptions].slice(0, count).map((stream) => this.#endSubscription(stream)));
  }

  /** Resolves when nothing runs on this graph, or after `limitMs`. Call it only when no new request can arrive. */
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
      // A subscriber that does not read must not keep the graph in memory.
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

  #readyOperation(text: string, operationName: string) {
    const document = parse(text);
    const operation = this.#stored.get(text)?.operation ?? this.#compile(document, { text, operationName });
    this.#stored.set(text, { text, operationName, operation });
    const definition = getOperationAST(document, operationName) as OperationDefinitionNode;
    return { operation, deadlineMs: deadlineOf(operationFields({ document, operation: definition })) };
  }

  #compile(document: DocumentNode, { text, operationName }: StoredDocument): CompiledOperation<RequestContext> {
    const plans = this.#plans.get(text);
    if (plans) return this.#executor.compilePlanned(document, operationName, plans);
    const errors = validate(this.apiSchema, document);
    if (errors.length > 0) throw misfit(operationName, errors.join("; "));
    return this.#executor.compile(document, operationName);
  }
}

/** Makes the error that ends a subscription. Only the feed knows the cursor, and its last item contains the cursor. */
function endingError(lastEvent: unknown): GraphQLError {
  const reason =
    lastEvent instanceof FeedEnd
      ? lastEvent.reason
      : new DomainError("UNAVAILABLE", {
          detail: "The platform ended the subscription, because its graph was replaced. Subscribe again.",
        });
  return toGraphqlError(reason, requestContext({ principal: undefined, trace: continueTrace(undefined) }));
}
