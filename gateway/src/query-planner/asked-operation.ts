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

/** One operation of a document, as the client wrote it and as the planner gets it. */
export interface AskedOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The variables that decide @skip and @include. */
  readonly conditions: readonly string[];
  readonly names: PlannedNames;
  readonly literals: LiftedLiterals;
  /** For the planner: aliases renamed, literals lifted. */
  readonly planned: DocumentNode;
}

export interface AskedSchema {
  readonly apiSchema: GraphQLSchema;
  /** Names of all fields of the supergraph, those of inaccessible types too. */
  readonly fieldNames: ReadonlySet<string>;
  /** Names that only the planning schema has -> the fields that they stand for. */
  readonly inputFields: ReadonlyMap<string, string>;
}

/** The document must be valid for the schema. Linear in its size. */
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
