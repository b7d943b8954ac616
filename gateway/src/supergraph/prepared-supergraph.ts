import { GraphQLError, parse, validate } from "graphql";
import { askedOperation } from "../query-planner/asked-operation.js";
import { OperationPlanner, type PlanData, type PreparedSchema } from "../query-planner/operation-planner.js";

/** A platform document, such as a REST route's document. */
export interface StoredDocument {
  readonly text: string;
  readonly operationName: string;
}

/** A supergraph with its stored documents' plans, which a build has made, so that a start does not make them. */
export interface PreparedSupergraph extends PreparedSchema {
  readonly supergraphSdl: string;
  /** A stored document's text -> its plans. */
  readonly plans: ReadonlyMap<string, PlanData>;
}

/** Throws when a document does not fit the supergraph. Returns undefined for a supergraph that cannot be prepared. */
export function prepareSupergraph(
  supergraphSdl: string,
  documents: readonly StoredDocument[],
): PreparedSupergraph | undefined {
  const planner = new OperationPlanner(supergraphSdl);
  const { prepared } = planner;
  if (!prepared) return undefined;
  const plans = documents.map(({ text, operationName }) => {
    const document = parse(text);
    const errors = validate(planner.apiSchema, document);
    if (errors.length > 0) throw misfit(operationName, errors.join("; "));
    return [text, planner.allPlans(askedOperation(planner, document, operationName))] as const;
  });
  return { ...prepared, supergraphSdl, plans: new Map(plans) };
}

/** The error for a stored document that does not fit a supergraph. */
export const misfit = (operationName: string, reason: string) =>
  new GraphQLError(`The stored operation ${operationName} does not fit the graph: ${reason}`);
