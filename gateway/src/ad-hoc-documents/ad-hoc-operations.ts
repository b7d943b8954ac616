import { createHash } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type DocumentNode, GraphQLError, type GraphQLSchema, getOperationAST, parse, Source } from "graphql";
import { countInvalid, type RateLimits } from "../admission/operation-charge.js";
import { type CompiledOperation, maxProjections } from "../execution/compiled-operation.js";
import type { SupergraphExecutor } from "../execution/supergraph-executor.js";
import { documentLimits, limitProblem } from "../limits/document-limits.js";
import { objectsProblem } from "../limits/object-count.js";
import { variablesProblem } from "../limits/value-limits.js";
import { OperationCache } from "./operation-cache.js";
import type { PlanningAnswer, PlanningProblem } from "./planning-request.js";
import { type PlanningLimits, PlanningThread } from "./planning-thread.js";

interface AskedDocument {
  readonly text: string;
  /** The parsed text, if it has been parsed already. */
  readonly document?: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

type ReadOperation =
  | { readonly document: DocumentNode; readonly operation: CompiledOperation<RequestContext> }
  | { readonly errors: readonly GraphQLError[] };

type Owned = AskedDocument & { readonly document: DocumentNode; readonly digest: string; readonly owner: string };

// A plan with this size takes about 50 ms to compile in the main thread.
const maxPlanBytes = 64 * 1024;
// Heap sizes, measured: a syntax tree with its projections per text byte, a compiled operation per plan byte.
const bytesPerDocument = 8 * 1024;
const bytesPerTextByte = 60;
const bytesPerPlanByte = 30;
/** The extra points that the sender pays for planning a new document. A usual document costs no extra points. */
const cpuMsPerPoint = 100;
const planBytesPerPoint = 4096;
const pointsOfCut = 60;

/**
 * Compiles the operations in documents that clients send. The main thread checks an unknown document against the
 * limits. A worker thread with a deadline validates and plans it. Then the main thread compiles it in linear time.
 */
export class AdHocOperations {
  readonly #executor: SupergraphExecutor<RequestContext>;
  readonly #limits: RateLimits;
  readonly #logger: Logger;
  readonly #thread: PlanningThread;
  readonly #cache = new OperationCache<RequestContext>();
  readonly #reading = new Map<string, Promise<ReadOperation>>();

  constructor(options: {
    executor: SupergraphExecutor<RequestContext>;
    supergraphSdl: string;
    introspection: boolean;
    limits: RateLimits;
    logger: Logger;
    planning?: Partial<PlanningLimits>;
  }) {
    const { executor, supergraphSdl, introspection, limits, logger, planning } = options;
    this.#executor = executor;
    this.#limits = limits;
    this.#logger = logger;
    this.#thread = new PlanningThread({ supergraphSdl, introspection, maxPlanBytes }, logger, planning);
  }

  get apiSchema(): GraphQLSchema {
    return this.#executor.apiSchema;
  }

  /** The cached documents' number, and their memory in bytes. */
  get held(): { readonly documents: number; readonly bytes: number } {
    return this.#cache.held;
  }

  /** Returns a cached document's syntax tree, by the SHA-256 of its text. */
  document(digest: string): DocumentNode | undefined {
    return this.#cache.document(digest);
  }

  /**
   * Returns a document's compiled operation, or the errors that refuse it. Charges the caller for invalid documents and
   * for slow planning.
   */
  async read(request: AskedDocument, caller: RequestContext): Promise<ReadOperation> {
    try {
      return await this.#read(request, caller);
    } catch (reason) {
      if (!(reason instanceof DomainError))
        this.#logger.error({ err: reason }, "a GraphQL document could not be read because of a bug");
      return { errors: [toGraphqlError(reason, caller)] };
    }
  }

  /**
   * Plans a platform document in the worker thread, so that the main thread can serve requests meanwhile. Then compiles
   * it in the main thread. Throws a GraphQLError when the document does not fit the graph.
   */
  async compileStored(text: string, operationName: string): Promise<CompiledOperation<RequestContext>> {
    const answer = await this.#thread.plan("stored documents", { text, operationName });
    if (answer === "cut")
      throw error("The planning of the document took too long. Send a shorter document.", "TOO_COMPLEX");
    if (answer.kind === "refused") throw error(answer.problems.map(({ message }) => message).join(" "), "TOO_COMPLEX");
    if (answer.kind === "broken") throw new Error(`The operation cannot be planned: ${answer.message}`);
    return this.#executor.compilePlanned(parse(text), operationName, answer.plans);
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #read(request: AskedDocument, caller: RequestContext): Promise<ReadOperation> {
    const digest = createHash("sha256").update(request.text).digest("hex");
    const cachedDocument = this.#cache.document(digest);
    const document = cachedDocument ?? request.document ?? parsed(request.text);
    const problem =
      document instanceof GraphQLError
        ? document
        : (tooComplex(cachedDocument ? undefined : this.#documentProblem(document, request.text)) ??
          tooComplex(variablesProblem(request.variables)));
    if (problem || document instanceof GraphQLError) return this.#refused([problem as GraphQLError], caller);
    const operation = getOperationAST(document, request.operationName);
    if (!operation) return this.#refused([unknownOperation()], caller);
    const name = operation.name?.value;
    const cachedOperation = this.#cache.operation(digest, name ?? "");
    if (cachedOperation) return { document, operation: cachedOperation };
    const { principal, address } = caller;
    const owner = principal ? (principal.tenantId ?? `client:${principal.clientId}`) : `address:${address}`;
    return this.#plannedOnce({ ...request, operationName: name, document, digest, owner }, caller);
  }

  #documentProblem(document: DocumentNode, text: string) {
    return limitProblem(document, Buffer.byteLength(text)) ?? objectsProblem(document, this.#executor.apiSchema);
  }

  /** Plans a document once for all callers that ask for it at the same time. */
  async #plannedOnce(ownedDocument: Owned, caller: RequestContext): Promise<ReadOperation> {
    const key = `${ownedDocument.digest} ${ownedDocument.operationName ?? ""}`;
    const reading = this.#reading.get(key);
    if (reading) return reading;
    const planning = this.#planned(ownedDocument, caller).finally(() => this.#reading.delete(key));
    this.#reading.set(key, planning);
    return planning;
  }

  async #planned(ownedDocument: Owned, caller: RequestContext): Promise<ReadOperation> {
    const { text, operationName, document, digest, owner } = ownedDocument;
    const answer = await this.#thread.plan(owner, { text, operationName });
    await this.#charge(answer, caller);
    if (answer === "cut")
      return { errors: [error("The planning of the document took too long. Send a shorter document.", "TOO_COMPLEX")] };
    if (answer.kind === "refused")
      return this.#refused(
        answer.problems.map((problem) => errorOf(problem, text)),
        caller,
      );
    if (answer.kind === "broken") throw new Error(`The operation cannot be planned: ${answer.message}`);
    const operation = this.#executor.compilePlanned(document, operationName, answer.plans);
    const bytes =
      bytesPerDocument +
      Buffer.byteLength(text) * bytesPerTextByte * projections(text) +
      answer.bytes * bytesPerPlanByte;
    this.#cache.keep(digest, { owner, document, name: operationName ?? "", bytes }, operation);
    return { document, operation };
  }

  async #charge(answer: PlanningAnswer | "cut", { principal, address }: RequestContext): Promise<void> {
    const points = pointsOf(answer);
    if (points === 0) return;
    if (principal) this.#limits.charge("invalid", principal, points);
    else await this.#limits.spendAnonymous(address ?? "", points);
  }

  async #refused(errors: readonly GraphQLError[], caller: RequestContext): Promise<ReadOperation> {
    countInvalid(this.#limits, caller);
    return { errors };
  }
}

function pointsOf(answer: PlanningAnswer | "cut"): number {
  if (answer === "cut") return pointsOfCut;
  const bytes = answer.kind === "planned" ? answer.bytes : 0;
  return Math.floor(answer.cpuMs / cpuMsPerPoint) + Math.floor(bytes / planBytesPerPoint);
}

function parsed(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text, { maxTokens: documentLimits.maxTokens });
  } catch (reason) {
    if (reason instanceof GraphQLError) return reason;
    throw reason;
  }
}

function errorOf({ message, positions, extensions }: PlanningProblem, text: string): GraphQLError {
  return new GraphQLError(message, { source: new Source(text), positions, extensions });
}

const error = (message: string, code: string) => new GraphQLError(message, { extensions: { code } });

const tooComplex = (problem: { detail: string } | undefined) => problem && error(problem.detail, "TOO_COMPLEX");

const unknownOperation = () =>
  error(
    "The document has no operation with this name, or it has several operations and operationName is missing. Send the name of one of its operations.",
    "VALIDATION_FAILED",
  );

/** Returns the number of projections that a document may need: one for each combination that its conditions have. */
function projections(text: string): number {
  const conditions = text.match(/@\s*(?:skip|include)/g)?.length ?? 0;
  return Math.min(2 ** conditions, maxProjections);
}
