import { GraphQLError } from "graphql";

/** A platform document, such as a REST route's document. */
export interface StoredDocument {
  readonly text: string;
  readonly operationName: string;
}

/** The error for a stored document that does not fit a supergraph. */
export const misfit = (operationName: string, reason: string) =>
  new GraphQLError(`The stored operation ${operationName} does not fit the graph: ${reason}`);
