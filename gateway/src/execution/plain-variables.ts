import { Kind, type TypeNode, type VariableDefinitionNode } from "graphql";
import { type Fields, ownValue, setOwn } from "../query-planner/own-property.js";

const maxInt = 2_147_483_647;

/** For each built-in scalar: whether a value coerces to itself. */
const coercesToItself: Readonly<Record<string, ((value: unknown) => boolean) | undefined>> = {
  ID: (value) => typeof value === "string",
  String: (value) => typeof value === "string",
  Boolean: (value) => typeof value === "boolean",
  Int: (value) => Number.isInteger(value) && Math.abs(value as number) <= maxInt,
};

/**
 * A fast replacement for `getVariableValues`, for operations whose variables are all built-in scalars without defaults.
 * It returns the coerced values when every value coerces to itself. Otherwise it returns undefined, and GraphQL must
 * coerce the values and report the errors.
 */
export function plainVariables(
  definitions: readonly VariableDefinitionNode[],
): ((provided: Readonly<Fields>) => Fields | undefined) | undefined {
  const checks = definitions.map(({ variable, type, defaultValue }) => {
    const isRequired = type.kind === Kind.NON_NULL_TYPE;
    const accepts = defaultValue === undefined ? coercesToItself[nameOf(isRequired ? type.type : type)] : undefined;
    return accepts && { name: variable.name.value, required: isRequired, accepts };
  });
  if (!checks.every((check) => check !== undefined)) {
    return undefined;
  }
  return (providedValues) => {
    const coercedValues: Fields = {};
    for (const { name, required, accepts } of checks) {
      const value = ownValue(providedValues, name);
      if (accepts(value)) {
        setOwn(coercedValues, name, value);
      } else if (value !== undefined || required) {
        return undefined;
      }
    }
    return coercedValues;
  };
}

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : "");
