import { type GraphQLSchema, isAbstractType, isInterfaceType } from "graphql";

/** All type names that satisfy `... on typeCondition`. */
export function satisfyingTypes(schema: GraphQLSchema, typeCondition: string): ReadonlySet<string> {
  const names = new Set([typeCondition]);
  const type = schema.getType(typeCondition);
  if (isAbstractType(type)) {
    for (const possible of schema.getPossibleTypes(type)) {
      names.add(possible.name);
    }
  }
  if (isInterfaceType(type)) {
    for (const implementation of schema.getImplementations(type).interfaces) {
      names.add(implementation.name);
    }
  }
  return names;
}
