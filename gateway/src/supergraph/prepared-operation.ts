import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import {
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { operationFields } from "../admission/operation-charge.js";
import { deadlineOf, runInTime } from "../admission/operation-deadline.js";
import type { SupergraphExecutor } from "../execution/supergraph-executor.js";

export interface PreparedOperation {
  run(variables: Record<string, unknown>, context: RequestContext): Promise<ExecutionResult>;
}

/** A trusted document, validated, planned and compiled once. Throws when it does not fit the graph. */
export function prepareOperation(
  executor: SupergraphExecutor<RequestContext>,
  document: string,
  operationName: string,
): PreparedOperation {
  const parsed = parse(document);
  const errors = validate(executor.apiSchema, parsed);
  if (errors.length > 0)
    throw new GraphQLError(`Operation ${operationName} does not fit the graph: ${errors.join("; ")}`);
  const compiled = executor.compile(parsed, operationName);
  const operation = getOperationAST(parsed, operationName) as OperationDefinitionNode;
  const deadlineMs = deadlineOf(operationFields({ document: parsed, operation }));
  return { run: (variables, context) => runInTime(compiled, { variables, context, deadlineMs }) };
}
