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

// The counter avoids code generation for documents that a client sends only once.
const standardJitAfterRuns = 50;

interface LocalSubgraphOptions {
  /** How many runs pass before graphql-jit compiles an eligible query. The default is 50. */
  readonly jitAfterRuns?: number;
}

/** A subgraph in this process. `prepare` parses and validates an operation once, and each run executes the document. */
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
    // This error is not a planner defect. graphql-js limits how many merged fields it compares.
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
      // graphql-jit's errors differ from graphql-js errors, so a failed query runs again in graphql-js.
      const checkResult = (result: ExecutionResult) =>
        !result.errors || isRefusal(result, rootFields) ? result : byGraphqlJs();
      const result = query(undefined, context, variables);
      return "then" in result ? result.then(checkResult, byGraphqlJs) : checkResult(result);
    },
    subscribe: (variables, context) => createSourceEventStream(request(variables, context)),
    answer: (event, variables, context) =>
      execute({ ...request(variables, context), rootValue: event }) as Promise<ExecutionResult> | ExecutionResult,
  };
}

/** Whether the only root field threw, so that no other resolver has run. A "not found" error is an example. */
function isRefusal({ errors = [] }: ExecutionResult, rootFields: number): boolean {
  const [error] = errors;
  return rootFields === 1 && errors.length === 1 && error?.path?.length === 1 && error.originalError !== undefined;
}

function compileJit({ schema, document, operationName }: LocalOperation): CompiledQuery["query"] | undefined {
  const compiledQuery = compileQuery(schema, document, operationName);
  // When graphql-jit cannot compile, it returns errors, and graphql-js continues to execute the query.
  return isCompiledQuery(compiledQuery) ? compiledQuery.query : undefined;
}
