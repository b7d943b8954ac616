import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from "graphql";
import { type LiftedLiterals, liftLiterals } from "./lifted-literals.js";
import { type PlannedNames, planningNames } from "./planning-names.js";
import { conditionVariables, type Fragments } from "./selection.js";

/** One operation in a document, in the client's form and in the form that the planner receives. */
export interface AskedOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The variables that decide @skip and @include. */
  readonly conditions: readonly string[];
  readonly names: PlannedNames;
  readonly literals: LiftedLiterals;
  /** The document for the planner, with renamed aliases and lifted literals. */
  readonly planned: DocumentNode;
}

export interface AskedSchema {
  readonly apiSchema: GraphQLSchema;
  /** All field names in the supergraph, including the fields on inaccessible types. */
  readonly fieldNames: ReadonlySet<string>;
  /** Name that exists only in the planning schema -> the field that it replaces. */
  readonly inputFields: ReadonlyMap<string, string>;
}

/** Prepares one operation for planning, in linear time. The document must be valid for the schema. */
export function askedOperation(
  { apiSchema, fieldNames, inputFields }: AskedSchema,
  document: DocumentNode,
  operationName: string | undefined,
): AskedOperation {
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
  const literals = liftLiterals(apiSchema, document, operation);
  const names = planningNames(literals.document, fieldNames, inputFields);
  return {
    operation,
    fragments,
    conditions: conditionVariables(operation, fragments),
    names,
    literals,
    planned: names.document,
  };
}
