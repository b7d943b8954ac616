import type { ErrorCode } from "@factory/schema/error-codes";
import { refusalCodes } from "@factory/schema/refusal-codes";
import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from "graphql";
import type { FieldError } from "../errors/domain-error.js";

/** The code for values outside of their closed sets, where all of them are refused with one code. */
export function refusalCode(type: GraphQLInputType, errors: readonly FieldError[]): ErrorCode | undefined {
  const codes = new Set(errors.map(({ pointer }) => codeAt(type, pointer.split("/").slice(1))));
  const [code] = codes;
  return codes.size === 1 ? code : undefined;
}

/** The code for the value at a pointer into an input. Names of GraphQL need no escapes in a pointer. */
function codeAt(type: GraphQLInputType, tokens: readonly string[], member = ""): ErrorCode | undefined {
  if (isNonNullType(type)) return codeAt(type.ofType, tokens, member);
  const [token, ...rest] = tokens;
  if (isListType(type)) return codeAt(type.ofType, rest, member);
  const field = token !== undefined && isInputObjectType(type) ? type.getFields()[token] : undefined;
  return field
    ? codeAt(field.type, rest, `${type.name}.${field.name}`)
    : (refusalCodes[type.name] ?? refusalCodes[member]);
}
