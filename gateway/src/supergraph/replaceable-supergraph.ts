import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { GraphQLDataSource, SupergraphManager } from "@apollo/gateway";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { assertValidSchema, type GraphQLSchema } from "graphql";
import type { Planner } from "../query-planner/planner.js";
import { PreparedPlanner } from "../query-planner/prepared-planner.js";
import { Graph, type GraphOptions } from "./graph.js";
import type { PreparedSupergraph } from "./prepared-supergraph.js";
import { ServingGraphs } from "./serving-graphs.js";
import { checkSupergraph, type SupergraphCandidate, type SupergraphVerdict } from "./supergraph-check.js";

type GatewayTools = Parameters<SupergraphManager["initialize"]>[0];

/**
 * A platform part that compiles something for a graph. It throws when the graph does not fit. It returns a function
 * that puts the result into service. That function must be synchronous and must not throw.
 */
type GraphUser = (graph: Graph) => () => void;

type Replacement =
  | { readonly outcome: "replaced" | "unchanged"; readonly id: string; readonly reasons?: never }
  /** The reasons why the candidate cannot serve. The current graph continues to serve. */
  | { readonly outcome: "refused"; readonly reasons: readonly string[] };

/** The supergraph at the start. `reviewedSdl` is a supergraph SDL that was composed and checked in advance. */
type InitialSupergraph = { readonly reviewedSdl: string } | SupergraphCandidate;

interface ReplacingOptions {
  /** Checks a candidate. The default runs in a separate thread. */
  readonly check: typeof checkSupergraph;
  readonly subscriptionsEndMs: number;
}

interface PendingGraph {
  readonly graph: Graph;
  isLinked: boolean;
}

/** The time (ms) over which a replaced graph's subscriptions end, so that not all reconnect at once. */
const subscriptionsEndMs = 30_000;
const subscriptionSteps = 30;
/** The longest time (ms) that an operation may take. */
const longestOperationMs = 60_000;

/** Gives Apollo's gateway its supergraph and replaces it at run time. Every check runs before the replacement. */
export class ReplaceableSupergraph implements SupergraphManager {
  readonly graphs = new ServingGraphs();
  /** How many candidates had each outcome. */
  readonly outcomes: Record<Replacement["outcome"], number> = { replaced: 0, unchanged: 0, refused: 0 };
  readonly #initial: InitialSupergraph;
  readonly #options: GraphOptions;
  readonly #replacingOptions: ReplacingOptions;
  readonly #logger: Logger;
  readonly #users: GraphUser[] = [];
  #gateway: GatewayTools | undefined;
  #pending: PendingGraph | undefined;
  #schema: GraphQLSchema | undefined;
  #replacing: Promise<unknown> = Promise.resolve();
  #retiring: Promise<void> = Promise.resolve();
  #hurry = new AbortController();
  readonly #closing = new AbortController();
  /** The candidate's graph, while it is compiled. */
  #candidate: Graph | undefined;

  constructor(initial: InitialSupergraph, options: GraphOptions, replacing: Partial<ReplacingOptions> = {}) {
    this.#initial = initial;
    this.#replacingOptions = { check: checkSupergraph, subscriptionsEndMs, ...replacing };
    this.#options = options;
    this.#logger = options.logger;
  }

  /** Apollo's gateway calls this method when it loads. Throws when the operator's supergraph cannot serve. */
  async initialize(gateway: GatewayTools): Promise<{ supergraphSdl: string }> {
    this.#gateway = gateway;
    if ("reviewedSdl" in this.#initial) return { supergraphSdl: this.#initial.reviewedSdl };
    const verdict = await this.#check(this.#initial);
    if (verdict.problems) throw new Error(`The supergraph cannot serve:\n${verdict.problems.join("\n")}`);
    return verdict;
  }

  /** Serves a supergraph that the build has prepared, before Apollo's gateway loads it. */
  beginPrepared(preparedSupergraph: PreparedSupergraph): void {
    const { supergraphSdl, plans } = preparedSupergraph;
    const planner = new PreparedPlanner(supergraphSdl, preparedSupergraph);
    const graph = new Graph(supergraphSdl, this.#options, { planner, plans });
    this.graphs.serve(graph, graph.apiSchema);
    this.#schema = graph.apiSchema;
  }

  /** Serves the first supergraph that the gateway loaded. Throws when it does not fit the connected subgraphs. */
  begin(supergraphSdl: string, loadedSchema: GraphQLSchema, planner: () => Planner): void {
    if (this.#schema) this.graphs.recognize(loadedSchema);
    else this.graphs.serve(new Graph(supergraphSdl, this.#options, { planner: planner() }), loadedSchema);
    this.#schema = loadedSchema;
  }

  /** Links the gateway's new schema to its compiled graph. The graph begins to serve in the same step. */
  link(schema: GraphQLSchema): void {
    if (!this.#pending) return;
    this.graphs.serve(this.#pending.graph, schema);
    this.#pending.isLinked = true;
    this.#schema = schema;
  }

  /**
   * Registers a part that compiles for the current graph and for each later graph before that graph serves. Throws when
   * the current graph does not fit.
   */
  use(user: GraphUser): void {
    user(this.graphs.current)();
    this.#users.push(user);
  }

  /** Checks a candidate and replaces the current graph with it. Candidates are processed one at a time. */
  async replace(candidate: SupergraphCandidate): Promise<Replacement> {
    const replacement = this.#replacing.then(() => this.#replace(candidate));
    // a replacement that throws must not stop the later ones
    this.#replacing = replacement.catch(() => undefined);
    const { outcome } = await replacement;
    this.outcomes[outcome] += 1;
    return replacement;
  }

  /** Ends the planning threads. */
  async close(): Promise<void> {
    this.#hurry.abort();
    this.#closing.abort();
    await Promise.all([this.graphs.current.close(), this.graphs.previous?.close(), this.#candidate?.close()]);
  }

  async #replace(candidate: SupergraphCandidate): Promise<Replacement> {
    const { id: from } = this.graphs.current;
    try {
      const verdict = await this.#check(candidate);
      if (verdict.problems) return this.#refused(verdict.problems);
      if (verdict.supergraphSdl === this.graphs.current.supergraphSdl) return { outcome: "unchanged", id: from };
      await this.#gateway?.healthCheck(verdict.supergraphSdl);
      const { OperationPlanner } = await import("../query-planner/operation-planner.js");
      const planner = new OperationPlanner(verdict.supergraphSdl);
      const graph = new Graph(verdict.supergraphSdl, this.#options, { planner });
      this.#candidate = graph;
      await this.#swap(graph);
      this.#logger.info({ from, to: graph.id }, "the supergraph was replaced");
      return { outcome: "replaced", id: graph.id };
    } catch (error) {
      await this.#candidate?.close();
      return this.#refused([error instanceof Error ? error.message : String(error)]);
    } finally {
      this.#candidate = undefined;
    }
  }

  async #swap(graph: Graph): Promise<void> {
    await this.#options.persisted?.requireFit(graph.apiSchema, this.#options.introspection);
    await graph.compileStored(this.graphs.current.storedDocuments);
    assertValidSchema(graph.apiSchema);
    const putInService = this.#users.map((user) => user(graph));
    await this.#previousGraphEnded();
    const replacedSchema = this.#schema as GraphQLSchema;
    this.#pending = { graph, isLinked: false };
    try {
      this.#gateway?.update(graph.supergraphSdl);
      if (!this.#pending.isLinked) throw new Error("Apollo's gateway did not load the supergraph.");
    } finally {
      this.#pending = undefined;
    }
    for (const serve of putInService) serve();
    this.#retiring = this.#retire(replacedSchema);
  }

  /** At most two graphs exist at a time, so everything that still runs on the previous graph must end now. */
  async #previousGraphEnded(): Promise<void> {
    this.#hurry.abort();
    await this.#retiring;
    this.#hurry = new AbortController();
  }

  async #retire(schema: GraphQLSchema): Promise<void> {
    const { signal } = this.#hurry;
    const graph = this.graphs.previous;
    if (!graph) return;
    // A request that Apollo Server has just accepted reaches its graph within this event loop turn.
    await nextTurn();
    const quiet = graph.idle(longestOperationMs).then(() => graph.close());
    const step = Math.ceil(graph.subscriptions / subscriptionSteps);
    while (graph.subscriptions > 0 && !signal.aborted) {
      await sleep(this.#replacingOptions.subscriptionsEndMs / subscriptionSteps, undefined, {
        signal,
        ref: false,
      }).catch(() => undefined);
      await graph.endSubscriptions(signal.aborted ? undefined : step);
    }
    await quiet;
    // These subscriptions began while the others ended.
    await graph.endSubscriptions();
    this.graphs.forgetPrevious(schema);
  }

  async #check(candidate: SupergraphCandidate): Promise<SupergraphVerdict> {
    const check = { candidate, connected: await this.#connectedSdls() };
    return this.#replacingOptions.check(check, { logger: this.#logger, signal: this.#closing.signal });
  }

  /** Subgraph name -> the SDL that the connected subgraph returns. */
  async #connectedSdls(): Promise<Record<string, string>> {
    const sdls = this.#options.subgraphs.map(async ({ name }) => {
      const source = this.#gateway?.getDataSource({ name, url: `http://${name}` });
      const answer = await source?.process({
        kind: "loading schema",
        request: { query: "{ _service { sdl } }" },
        context: {},
      } as Parameters<GraphQLDataSource["process"]>[0]);
      const { sdl } = (answer?.data as { _service?: { sdl?: string } } | undefined)?._service ?? {};
      if (sdl === undefined) throw new Error(`The subgraph "${name}" did not return its SDL (_service).`);
      return [name, sdl] as const;
    });
    return Object.fromEntries(await Promise.all(sdls));
  }

  #refused(reasons: readonly string[]): Replacement {
    this.#logger.warn({ reasons }, "the new supergraph was refused; the platform keeps the current one");
    return { outcome: "refused", reasons };
  }
}
