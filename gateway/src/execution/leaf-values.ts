import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from "graphql";

// A number whose decimal form has an exponent is not accepted as an integer.
const integer = /^-?(?:0|[1-9][0-9]*)$/;

/** Returns a function that checks if a subgraph's value is valid. A custom scalar's value is always valid. */
export function leafCheck(type: GraphQLLeafType): (value: unknown) => boolean {
  if (isEnumType(type)) {
    const names = new Set(type.getValues().map((value) => value.name));
    return (value) => typeof value === "string" && names.has(value);
  }
  switch (type.name) {
    case GraphQLInt.name:
      return isInteger;
    case GraphQLFloat.name:
      return (value) => typeof value === "number" && Number.isFinite(value);
    case GraphQLString.name:
      return (value) => typeof value === "string";
    case GraphQLID.name:
      return (value) => typeof value === "string" || isInteger(value);
    case GraphQLBoolean.name:
      return (value) => typeof value === "boolean";
    default:
      return () => true;
  }
}

function isInteger(value: unknown): boolean {
  return Number.isInteger(value) && integer.test(String(value));
}
