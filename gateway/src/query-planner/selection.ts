import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from "graphql";
import type { Fields } from "./own-property.js";

/** A document's fragments by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Response key -> the field nodes merged under it, in response order. */
type CollectedFields = Map<string, FieldNode[]>;

/** The schema, fragments and condition values that decide which fields in a selection apply. */
export interface SelectionContext {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  /** The condition values. Only the Booleans that @skip and @include use are read. */
  readonly variables: Readonly<Fields>;
}

/** CollectFields from the GraphQL specification (6.3.2), for one runtime type. */
export function collectFields(
  context: SelectionContext,
  type: GraphQLNamedType,
  selectionSets: readonly SelectionSetNode[],
): CollectedFields {
  const collectedFields: CollectedFields = new Map();
  const visitedFragments = new Set<string>();
  const collect = (selectionSet: SelectionSetNode): void => {
    for (const selection of selectionSet.selections) {
      if (!isIncluded(context, selection)) {
        continue;
      }
      if (selection.kind === Kind.FIELD) {
        const key = responseKey(selection);
        const nodes = collectedFields.get(key);
        if (nodes) {
          nodes.push(selection);
        } else {
          collectedFields.set(key, [selection]);
        }
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (!selection.typeCondition || applies(context.schema, selection.typeCondition.name.value, type)) {
          collect(selection.selectionSet);
        }
      } else if (!visitedFragments.has(selection.name.value)) {
        visitedFragments.add(selection.name.value);
        const fragment = context.fragments.get(selection.name.value);
        if (fragment && applies(context.schema, fragment.typeCondition.name.value, type)) {
          collect(fragment.selectionSet);
        }
      }
    }
  };
  selectionSets.forEach(collect);
  return collectedFields;
}

function responseKey(field: FieldNode): string {
  return field.alias?.value ?? field.name.value;
}

/** The selection sets on fields that are merged under one key. */
export function innerSelections(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap((node) => node.selectionSet ?? []);
}

function isIncluded(context: SelectionContext, selection: SelectionNode): boolean {
  if (!selection.directives || selection.directives.length === 0) {
    return true;
  }
  return (
    getDirectiveValues(GraphQLSkipDirective, selection, context.variables)?.["if"] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, selection, context.variables)?.["if"] !== false
  );
}

function applies(schema: GraphQLSchema, typeCondition: string, type: GraphQLNamedType): boolean {
  if (typeCondition === type.name) {
    return true;
  }
  const condition = schema.getType(typeCondition);
  return (
    isAbstractType(condition) && (isObjectType(type) || isInterfaceType(type)) && schema.isSubType(condition, type)
  );
}

/** The variables that decide @skip and @include anywhere in the operation. */
export function conditionVariables(operation: OperationDefinitionNode, fragments: Fragments): string[] {
  const names = new Set<string>();
  for (const definition of [operation, ...fragments.values()]) {
    visit(definition, {
      Directive(directive) {
        if (directive.name.value === "skip" || directive.name.value === "include") {
          for (const argument of directive.arguments ?? []) {
            if (argument.value.kind === Kind.VARIABLE) {
              names.add(argument.value.name.value);
            }
          }
        }
      },
    });
  }
  return [...names];
}
