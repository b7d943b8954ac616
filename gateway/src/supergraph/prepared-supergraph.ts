import { parse, validate } from "graphql";
import { askedOperation } from "../query-planner/asked-operation.js";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import type { PlanData } from "../query-planner/planner.js";
import type { PreparedSchema } from "../query-planner/prepared-planner.js";
import { misfit, type StoredDocument } from "./stored-document.js";

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
