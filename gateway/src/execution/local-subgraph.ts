import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  type GraphQLSchema,
  parse,
  subscribe,
  validate,
} from "graphql";
import { LeastRecentlyUsed } from "./least-recently-used.js";
import type { PreparedFetch, Subgraph } from "./subgraph-port.js";

const MAX_PREPARED = 1000;

/** A subgraph in this process. Each operation text is parsed and validated once, then executed as a cached document. */
export function localSubgraph<C>(name: string, schema: GraphQLSchema): Subgraph<C> {
  const prepared = new LeastRecentlyUsed<string, PreparedFetch<C>>(MAX_PREPARED);
  return {
    name,
    conforms: true,
    prepare(operationText, operationName) {
      const key = `${operationName ?? ""} ${operationText}`;
      let fetch = prepared.get(key);
      if (!fetch) {
        fetch = prepareLocal(schema, readDocument(name, schema, operationText), operationName);
        prepared.set(key, fetch);
      }
      return fetch;
    },
  };
}

function readDocument(name: string, schema: GraphQLSchema, operationText: string): DocumentNode {
  const document = parse(operationText);
  const [problem] = validate(schema, document);
  if (problem) {
    throw new Error(`Subgraph "${name}" refuses a planned operation: ${problem.message}`, { cause: problem });
  }
  return document;
}

function prepareLocal<C>(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): PreparedFetch<C> {
  const request = (variableValues: Record<string, unknown>, contextValue: C) => ({
    schema,
    document,
    operationName,
    variableValues,
    contextValue,
  });
  return {
    run: (variables, context) => execute(request(variables, context)) as Promise<ExecutionResult> | ExecutionResult,
    subscribe: (variables, context) => subscribe(request(variables, context)),
  };
}
