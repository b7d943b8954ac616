import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  parse,
  validate,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import { isJitEligible } from "./jit-eligibility.js";
import { LeastRecentlyUsed } from "./least-recently-used.js";
import type { PreparedFetch, Subgraph } from "./subgraph-port.js";

const MAX_PREPARED = 1000;
// counting keeps code generation away from documents that a client sends once
const JIT_AFTER_RUNS = 50;

export interface LocalSubgraphOptions {
  /** After so many runs an eligible query is compiled with graphql-jit; 50, when left out. */
  readonly jitAfterRuns?: number;
}

/** A subgraph in this process. Each operation text is parsed and validated once, then executed as a cached document. */
export function localSubgraph<C>(name: string, schema: GraphQLSchema, options: LocalSubgraphOptions = {}): Subgraph<C> {
  const prepared = new LeastRecentlyUsed<string, PreparedFetch<C>>(MAX_PREPARED);
  return {
    name,
    conforms: true,
    prepare(operationText, operationName) {
      const key = `${operationName ?? ""} ${operationText}`;
      let fetch = prepared.get(key);
      if (!fetch) {
        const document = readDocument(name, schema, operationText);
        const eligible = isJitEligible(schema, document, operationName);
        const jitAfterRuns = eligible ? (options.jitAfterRuns ?? JIT_AFTER_RUNS) : Number.POSITIVE_INFINITY;
        fetch = prepareLocal({ schema, document, operationName }, jitAfterRuns);
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

interface LocalOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
}

function prepareLocal<C>(operation: LocalOperation, jitAfterRuns: number): PreparedFetch<C> {
  const request = (variableValues: Record<string, unknown>, contextValue: C) => ({
    ...operation,
    variableValues,
    contextValue,
  });
  let runs = 0;
  let query: CompiledQuery["query"] | undefined;
  return {
    run(variables, context) {
      if (runs < jitAfterRuns) {
        runs += 1;
        if (runs === jitAfterRuns) {
          query = compileJit(operation);
        }
      }
      return query
        ? query(undefined, context, variables)
        : (execute(request(variables, context)) as Promise<ExecutionResult> | ExecutionResult);
    },
    subscribe: (variables, context) => createSourceEventStream(request(variables, context)),
    answer: (event, variables, context) =>
      execute({ ...request(variables, context), rootValue: event }) as Promise<ExecutionResult> | ExecutionResult,
  };
}

function compileJit({ schema, document, operationName }: LocalOperation): CompiledQuery["query"] | undefined {
  const compiled = compileQuery(schema, document, operationName);
  // what it cannot compile it answers with errors; graphql-js then goes on answering
  return isCompiledQuery(compiled) ? compiled.query : undefined;
}
