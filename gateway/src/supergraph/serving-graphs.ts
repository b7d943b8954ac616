import type { GraphQLSchema } from "graphql";
import type { Graph } from "./graph.js";

/** The current graph, and the previous graph while something still runs on it. */
export class ServingGraphs {
  /** API schema -> graph. A request keeps the schema with which it began. */
  readonly #bySchema = new WeakMap<GraphQLSchema, Graph>();
  #current: Graph | undefined;
  #previous: Graph | undefined;

  /** The graph for new requests. Throws before the first graph is loaded. */
  get current(): Graph {
    if (!this.#current) throw new Error("The supergraph is not loaded yet.");
    return this.#current;
  }

  /** The previous graph, while something still runs on it. */
  get previous(): Graph | undefined {
    return this.#previous;
  }

  /** Returns a request's graph, or undefined when this schema's graph has ended. */
  of(schema: GraphQLSchema): Graph | undefined {
    return this.#bySchema.get(schema);
  }

  /** Makes this graph the current graph for new requests. */
  serve(graph: Graph, schema: GraphQLSchema): void {
    this.#bySchema.set(schema, graph);
    this.#previous = this.#current;
    this.#current = graph;
  }

  /** Finds the current graph by one more schema, which other code in the process has built from the same SDL. */
  recognize(schema: GraphQLSchema): void {
    this.#bySchema.set(schema, this.current);
  }

  /** Removes the previous graph, on which nothing runs any more. */
  forgetPrevious(schema: GraphQLSchema): void {
    // Apollo Server keeps the first schema forever. An entry in the WeakMap would therefore keep the graph in memory.
    this.#bySchema.delete(schema);
    this.#previous = undefined;
  }
}
