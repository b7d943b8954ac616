import type { GraphQLSchema } from "graphql";
import type { Graph } from "./graph.js";

/** The graph that serves, and the one before it while something still runs on that. */
export class ServingGraphs {
  /** By the API schema that Apollo's gateway gave the server: a request keeps the schema that it began with. */
  readonly #bySchema = new WeakMap<GraphQLSchema, Graph>();
  #current: Graph | undefined;
  #previous: Graph | undefined;

  /** The graph that new requests run on. Throws before the first one is loaded. */
  get current(): Graph {
    if (!this.#current) throw new Error("The supergraph is not loaded yet.");
    return this.#current;
  }

  /** The graph before, while something still runs on it. */
  get previous(): Graph | undefined {
    return this.#previous;
  }

  /** The graph of a request. A schema that nobody knows any more belongs to a graph that has ended. */
  of(schema: GraphQLSchema): Graph | undefined {
    return this.#bySchema.get(schema);
  }

  /** From now on new requests run on this graph. */
  serve(graph: Graph, schema: GraphQLSchema): void {
    this.#bySchema.set(schema, graph);
    this.#previous = this.#current;
    this.#current = graph;
  }

  /** Nothing runs on the graph before any more. */
  forgetPrevious(schema: GraphQLSchema): void {
    // Apollo Server keeps the very first schema for good, and a WeakMap would keep its graph with it
    this.#bySchema.delete(schema);
    this.#previous = undefined;
  }
}
