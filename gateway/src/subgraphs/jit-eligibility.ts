import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isEnumType,
  isLeafType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  type TypeNode,
  visit,
  visitWithTypeInfo,
} from "graphql";

const plainLiterals: ReadonlySet<string> = new Set([Kind.INT, Kind.FLOAT, Kind.STRING, Kind.BOOLEAN]);
// An operation's memory limit does not include compiled code, so this constant limits the operation's size.
const maxNodes = 400;

/**
 * Whether graphql-jit (0.8.9) returns the same data as graphql-js, decided from the schema and the document alone. A
 * property test proves what is allowed: a query with one operation, without directives and named fragments; variables
 * and literals with built-in scalar types; variables with enums and representations; object types without `isTypeOf`,
 * and `_Entity`, which @apollo/subgraph resolves by __typename; a resolver on every field, because graphql-jit does not
 * await promises that the default resolver finds; no response key that plain objects inherit, because graphql-jit
 * writes results as object literals.
 *
 * Custom scalar literals are not allowed: graphql-jit drops the variables inside such a literal and shares the literal
 * between requests.
 */
export function isJitEligible(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): boolean {
  const [definition] = document.definitions;
  if (
    document.definitions.length !== 1 ||
    definition !== getOperationAST(document, operationName) ||
    definition?.kind !== Kind.OPERATION_DEFINITION ||
    definition.operation !== OperationTypeNode.QUERY
  ) {
    return false;
  }
  let eligible = true;
  let nodes = 0;
  const keep = (isAllowed: boolean): void => {
    eligible &&= isAllowed;
  };
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      enter(node) {
        nodes += 1;
        switch (node.kind) {
          case Kind.DIRECTIVE:
          case Kind.FRAGMENT_SPREAD:
            return keep(false);
          case Kind.VARIABLE_DEFINITION:
            return keep(isPlainInput(schema.getType(namedType(node.type))));
          case Kind.ARGUMENT:
            return keep(isPlainArgument(node, typeInfo.getArgument()));
          case Kind.INLINE_FRAGMENT:
            return keep(isPlainObject(typeInfo.getType()));
          case Kind.FIELD: {
            const isMeta = node.name.value.startsWith("__");
            const key = node.alias?.value ?? node.name.value;
            const atRoot = typeInfo.getParentType() === schema.getQueryType();
            return keep(!(key in Object.prototype) && isPlainField(typeInfo.getFieldDef(), { isMeta, atRoot }));
          }
          default:
            return undefined;
        }
      },
    }),
  );
  return eligible && nodes <= maxNodes;
}

function isPlainInput(type: GraphQLNamedType | undefined): boolean {
  return isEnumType(type) || type?.name === "_Any" || (type !== undefined && isSpecifiedScalarType(type));
}

function isPlainArgument({ value }: ArgumentNode, argument: GraphQLArgument | null | undefined): boolean {
  if (value.kind === Kind.VARIABLE) {
    return true;
  }
  return (
    plainLiterals.has(value.kind) &&
    argument !== null &&
    argument !== undefined &&
    isSpecifiedScalarType(getNamedType(argument.type))
  );
}

function isPlainField(
  field: GraphQLField<unknown, unknown> | null | undefined,
  { isMeta, atRoot }: { isMeta: boolean; atRoot: boolean },
): boolean {
  if (!field || (!field.resolve && !isMeta)) {
    return false;
  }
  // graphql-jit shares a default value between requests, so a default must not be an object.
  const defaults = field.args.every(({ defaultValue }) => typeof defaultValue !== "object" || defaultValue === null);
  const type = getNamedType(field.type);
  return defaults && (isPlainObject(type) || isLeafType(type) || (atRoot && type.name === "_Entity"));
}

function isPlainObject(type: unknown): boolean {
  return isObjectType(type) && !type.isTypeOf;
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}
