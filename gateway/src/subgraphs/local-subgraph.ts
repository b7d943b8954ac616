import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import { validationAborted } from "../limits/document-limits.js";
import { isJitEligible } from "./jit-eligibility.js";
import type { PreparedFetch, Subgraph } from "./subgraph.js";

// counting keeps code generation away from documents that a client sends once
const standardJitAfterRuns = 50;

export interface LocalSubgraphOptions {
  /** After so many runs an eligible query is compiled with graphql-jit; 50, when left out. */
  readonly jitAfterRuns?: number;
}

/** A subgraph in this process. An operation is parsed and validated when it is prepared, then executed as a document. */
export function localSubgraph<C>(name: string, schema: GraphQLSchema, options: LocalSubgraphOptions = {}): Subgraph<C> {
  return {
    name,
    conforms: true,
    prepare(operationText, operationName) {
      const document = readDocument(name, schema, operationText);
      const eligible = isJitEligible(schema, document, operationName);
      const jitAfterRuns = eligible ? (options.jitAfterRuns ?? standardJitAfterRuns) : Number.POSITIVE_INFINITY;
      return prepareLocal({ schema, document, operationName }, jitAfterRuns);
    },
  };
}

function readDocument(name: string, schema: GraphQLSchema, operationText: string): DocumentNode {
  const document = parse(operationText);
  const [problem] = validate(schema, document);
  if (problem) {
    const message = `Subgraph "${name}" refuses a planned operation: ${problem.message}`;
    // this is not a defect of the planner: graphql-js limits the comparison of fields that merge
    if (problem.message === validationAborted) throw new GraphQLError(message, { extensions: { code: "TOO_COMPLEX" } });
    throw new Error(message, { cause: problem });
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
  const rootFields = getOperationAST(operation.document, operation.operationName)?.selectionSet.selections.length ?? 0;
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
      const byGraphqlJs = () => execute(request(variables, context)) as Promise<ExecutionResult> | ExecutionResult;
      if (!query) {
        return byGraphqlJs();
      }
      // jit lists other errors than graphql-js and tells them in other words: a query that failed runs there once more
      const checked = (result: ExecutionResult) =>
        !result.errors || isRefusal(result, rootFields) ? result : byGraphqlJs();
      const result = query(undefined, context, variables);
      return "then" in result ? result.then(checked, byGraphqlJs) : checked(result);
    },
    subscribe: (variables, context) => createSourceEventStream(request(variables, context)),
    answer: (event, variables, context) =>
      execute({ ...request(variables, context), rootValue: event }) as Promise<ExecutionResult> | ExecutionResult,
  };
}

/** Its only root field threw, so nothing else of it has run. An answer that is not found is such a one. */
function isRefusal({ errors = [] }: ExecutionResult, rootFields: number): boolean {
  const [error] = errors;
  return rootFields === 1 && errors.length === 1 && error?.path?.length === 1 && error.originalError !== undefined;
}

function compileJit({ schema, document, operationName }: LocalOperation): CompiledQuery["query"] | undefined {
  const compiled = compileQuery(schema, document, operationName);
  // graphql-jit answers with errors when it cannot compile; then graphql-js goes on answering
  return isCompiledQuery(compiled) ? compiled.query : undefined;
}
