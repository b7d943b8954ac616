import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";

/** Lists inside lists multiply, so a short document could ask for millions of objects. */
export const objectLimits = {
  maxObjects: 250_000,
  /** A list's length where its arguments do not give it. */
  defaultLength: 50,
  /** A list's length where the argument is a variable: the largest page. */
  variableLength: 200,
  /** An entity list's length where it has no argument for it. */
  wholeLength: 1000,
  /** A value list's length, for example of findings. */
  valueLength: 5,
} as const;

const lengthArguments: readonly string[] = ["first", "last", "limit", "ids"];

/** The problem of a document that asks for too many objects. A document that does not fit the schema has none. */
export function objectsProblem(document: DocumentNode, schema: GraphQLSchema): { detail: string } | undefined {
  const counter = new ObjectCounter(document, schema);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const type = schema.getRootType(definition.operation);
    const count = type ? counter.count(definition.selectionSet, type) : 0;
    if (count > objectLimits.maxObjects)
      return {
        detail: `The document asks for up to ${Math.round(count)} objects, and at most ${objectLimits.maxObjects} are allowed. Ask for shorter lists, or for fewer lists inside lists.`,
      };
  }
  return undefined;
}

/** Counts the objects that a selection may return. A fragment is counted once for each type on which it is spread. */
class ObjectCounter {
  readonly #schema: GraphQLSchema;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #counted = new Map<string, number>();

  constructor(document: DocumentNode, schema: GraphQLSchema) {
    this.#schema = schema;
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
  }

  /** The selection may be inside a page, which then has `pageLength` items. */
  count({ selections }: SelectionSetNode, parent: GraphQLCompositeType, pageLength?: number): number {
    let total = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) total += this.#field(selection, parent, pageLength);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const type = selection.typeCondition ? this.#composite(selection.typeCondition.name.value) : parent;
        if (type) total += this.count(selection.selectionSet, type, pageLength);
      } else total += this.#fragment(selection.name.value, pageLength);
    }
    return total;
  }

  #fragment(name: string, pageLength: number | undefined): number {
    const key = `${name} ${pageLength ?? ""}`;
    const knownCount = this.#counted.get(key);
    const fragment = this.#fragments.get(name);
    const type = fragment && this.#composite(fragment.typeCondition.name.value);
    if (knownCount !== undefined || !fragment || !type) return knownCount ?? 0;
    // ends the recursion when fragments form a cycle, which validation refuses
    this.#counted.set(key, 0);
    const count = this.count(fragment.selectionSet, type, pageLength);
    this.#counted.set(key, count);
    return count;
  }

  #field(field: FieldNode, parent: GraphQLCompositeType, pageLength: number | undefined): number {
    if (!field.selectionSet || isUnionType(parent)) return 0;
    const definition = parent.getFields()[field.name.value];
    const named = definition && getNamedType(definition.type);
    if (!definition || !isCompositeType(named)) return 0;
    const isList = isListType(getNullableType(definition.type));
    const length = isList ? (pageLength ?? listLength(field, definition)) : 1;
    const innerPage = isPage(named.name) ? (givenLength(field) ?? objectLimits.defaultLength) : undefined;
    return length * (1 + this.count(field.selectionSet, named, innerPage));
  }

  #composite(name: string): GraphQLCompositeType | undefined {
    const type = this.#schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  }
}

function listLength(field: FieldNode, { type, args }: GraphQLField<unknown, unknown>): number {
  const givenNumber = givenLength(field);
  if (givenNumber !== undefined) return givenNumber;
  if (args.some(({ name }) => lengthArguments.includes(name))) return objectLimits.defaultLength;
  const named = getNamedType(type);
  const isEntity = isInterfaceType(named) || (isObjectType(named) && named.getInterfaces().length > 0);
  return isEntity ? objectLimits.wholeLength : objectLimits.valueLength;
}

/** Relay's page types. `Connection` is the specification's entity, and not a page. */
const isPage = (typeName: string) => typeName.endsWith("Connection") && typeName !== "Connection";

function givenLength({ arguments: args = [] }: FieldNode): number | undefined {
  const lengths = args.filter(({ name }) => lengthArguments.includes(name.value)).map(({ value }) => lengthOf(value));
  return lengths.length === 0 ? undefined : Math.max(...lengths);
}

function lengthOf(value: ValueNode): number {
  if (value.kind === Kind.INT) return Math.max(0, Number(value.value));
  if (value.kind === Kind.LIST) return value.values.length;
  return value.kind === Kind.VARIABLE ? objectLimits.variableLength : objectLimits.defaultLength;
}
