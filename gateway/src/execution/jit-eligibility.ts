import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isEnumType,
  isLeafType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  TypeInfo,
  type TypeNode,
  visit,
  visitWithTypeInfo,
} from "graphql";

/**
 * Whether graphql-jit (0.8.9) answers exactly as graphql-js does, decided from the schema and the document alone: a query,
 * variables of built-in scalars, enums or representations, only object types without `isTypeOf` (and `_Entity`, which
 * @apollo/subgraph resolves by __typename), a resolver on every field, because jit does not await promises that the
 * default resolver finds, and no key that plain objects inherit, because jit writes them as object literals.
 */
export function isJitEligible(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): boolean {
  if (getOperationAST(document, operationName)?.operation !== "query") {
    return false;
  }
  let eligible = true;
  const refuse = (): void => {
    eligible = false;
  };
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition({ type }) {
        const variableType = schema.getType(namedType(type));
        if (
          !isSpecifiedScalarType(variableType as never) &&
          !isEnumType(variableType) &&
          variableType?.name !== "_Any"
        ) {
          refuse();
        }
      },
      Field({ alias, name }) {
        const field = typeInfo.getFieldDef();
        const isMeta = name.value.startsWith("__");
        if (!field || (!field.resolve && !isMeta) || (alias?.value ?? name.value) in Object.prototype) {
          refuse();
        } else if (!hasStaticType(getNamedType(field.type), typeInfo.getParentType() === schema.getQueryType())) {
          refuse();
        }
      },
      InlineFragment() {
        const type = typeInfo.getType();
        if (!isObjectType(type) || type.isTypeOf) {
          refuse();
        }
      },
    }),
  );
  return eligible;
}

function hasStaticType(type: GraphQLNamedType, atRoot: boolean): boolean {
  if (isObjectType(type)) {
    return !type.isTypeOf;
  }
  return isLeafType(type) || (atRoot && type.name === "_Entity");
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}
