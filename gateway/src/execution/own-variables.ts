import { ownNumbers } from "@factory/runtime/graphql/own-numbers";
import { type GraphQLInputType, type GraphQLSchema, typeFromAST, type VariableDefinitionNode } from "graphql";
import { type Fields, ownValue, setOwn } from "../query-planner/own-property.js";

/**
 * Compiles a function that returns an operation's variables with kept numbers only in JSON values, so that `1.0` stays
 * a good Int.
 */
export function ownVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[] = [],
): (provided: Readonly<Fields>) => Readonly<Fields> {
  const variables = definitions.flatMap(({ variable, type }) => {
    const inputType = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    return inputType ? { name: variable.name.value, convert: ownNumbers(inputType) } : [];
  });
  return (providedValues) => {
    let ownValues: Fields | undefined;
    for (const { name, convert } of variables) {
      const value = ownValue(providedValues, name);
      const newValue = convert(value);
      if (newValue === value) continue;
      ownValues ??= { ...providedValues };
      setOwn(ownValues, name, newValue);
    }
    return ownValues ?? providedValues;
  };
}
