import { operationFromDocument, type Schema, Supergraph } from "@apollo/federation-internals";
import { type QueryPlan, QueryPlanner } from "@apollo/query-planner";
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  print,
} from "graphql";
import { type CompiledOperation, compileOperation } from "./compiled-operation.js";
import { conditionalOperation, MAX_SPECIALISED_CONDITIONS, withoutConditions } from "./conditional-operation.js";
import { LeastRecentlyUsed } from "./least-recently-used.js";
import { fieldNames, planningNames } from "./planning-names.js";
import { conditionVariables } from "./selection.js";
import type { Subgraph } from "./subgraph-port.js";

const MAX_COMPILED = 1000;

/** Plans operations with Apollo's planner and compiles the plans; the only place that knows the planner. */
export class SupergraphExecutor<C> {
  /** What clients may ask. */
  readonly apiSchema: GraphQLSchema;
  readonly #planningSchema: Schema;
  readonly #planner: QueryPlanner;
  readonly #supergraphSchema: GraphQLSchema;
  readonly #fieldNames: ReadonlySet<string>;
  readonly #subgraphs: ReadonlyMap<string, Subgraph<C>>;
  readonly #byText = new LeastRecentlyUsed<string, CompiledOperation<C>>(MAX_COMPILED);
  readonly #byDocument = new WeakMap<DocumentNode, Map<string, CompiledOperation<C>>>();

  /** Throws when the supergraph is invalid or names a subgraph that is not given. */
  static fromSdl<C>(supergraphSdl: string, subgraphs: readonly Subgraph<C>[]): SupergraphExecutor<C> {
    return new SupergraphExecutor(Supergraph.build(supergraphSdl), subgraphs);
  }

  private constructor(supergraph: Supergraph, subgraphs: readonly Subgraph<C>[]) {
    this.#subgraphs = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph]));
    for (const { name } of supergraph.subgraphsMetadata()) {
      if (!this.#subgraphs.has(name)) {
        throw new Error(`The supergraph names the subgraph "${name}", which is not connected`);
      }
    }
    this.#planningSchema = supergraph.apiSchema();
    this.apiSchema = this.#planningSchema.toGraphQLJSSchema();
    this.#supergraphSchema = supergraph.schema.toGraphQLJSSchema();
    this.#fieldNames = fieldNames(this.#supergraphSchema);
    // named fragments would only make the subgraph operations shorter, and planning slower
    this.#planner = new QueryPlanner(supergraph, { reuseQueryFragments: false });
  }

  /**
   * The document must be valid for `apiSchema`. Keep the document to compile it once: the same object is found at once.
   * Throws a GraphQLError when the operation does not exist or cannot be planned.
   */
  compile(document: DocumentNode, operationName?: string): CompiledOperation<C> {
    const name = operationName ?? "";
    const known = this.#byDocument.get(document)?.get(name);
    if (known) {
      return known;
    }
    // printed, because a transformed document keeps the source text of the one it was made from
    const key = `${name} ${print(document)}`;
    let compiled = this.#byText.get(key);
    if (!compiled) {
      compiled = this.#compile(document, operationName);
      this.#byText.set(key, compiled);
    }
    const ofDocument = this.#byDocument.get(document) ?? new Map<string, CompiledOperation<C>>();
    this.#byDocument.set(document, ofDocument.set(name, compiled));
    return compiled;
  }

  #compile(document: DocumentNode, operationName: string | undefined): CompiledOperation<C> {
    const operation = getOperationAST(document, operationName);
    if (!operation) {
      throw new GraphQLError(
        operationName === undefined
          ? "Must provide operation name if query contains multiple operations."
          : `Unknown operation named "${operationName}".`,
      );
    }
    const fragments = new Map<string, FragmentDefinitionNode>();
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        fragments.set(definition.name.value, definition);
      }
    }
    const names = planningNames(document, this.#fieldNames);
    const compile = (planned: DocumentNode): CompiledOperation<C> =>
      compileOperation({
        schema: this.apiSchema,
        supergraphSchema: this.#supergraphSchema,
        subgraphs: this.#subgraphs,
        operation,
        fragments,
        names,
        plan: this.#plan(planned, operationName),
      });
    try {
      const general = compile(names.document);
      const conditions = conditionVariables(operation, fragments);
      if (conditions.length === 0 || conditions.length > MAX_SPECIALISED_CONDITIONS) {
        return general;
      }
      return conditionalOperation(general, {
        conditions,
        coerce: (variables) =>
          getVariableValues(this.apiSchema, operation.variableDefinitions ?? [], variables ?? {}).coerced,
        compile: (values) => compile(withoutConditions(names.document, values)),
      });
    } catch (reason) {
      if (reason instanceof GraphQLError) {
        throw reason;
      }
      const originalError = reason instanceof Error ? reason : new Error(String(reason));
      throw new GraphQLError(`The operation cannot be planned: ${originalError.message}`, { originalError });
    }
  }

  #plan(document: DocumentNode, operationName: string | undefined): QueryPlan {
    const options = operationName === undefined ? {} : { operationName };
    return this.#planner.buildQueryPlan(operationFromDocument(this.#planningSchema, document, options));
  }
}
