import type { FieldError } from "@factory/runtime/errors/domain-error";
import type { ErrorCode } from "@factory/schema/error-codes";
import { refusalCodes } from "@factory/schema/vocabularies/refusal-codes";
import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from "graphql";

/** The code for values outside of their closed sets, where all of them are refused with one code. */
export function refusalCode(type: GraphQLInputType, errors: readonly FieldError[]): ErrorCode | undefined {
  const codes = new Set(errors.map(({ pointer }) => refusalCodes[typeNameAt(type, pointer.split("/").slice(1))]));
  const [code] = codes;
  return codes.size === 1 ? code : undefined;
}

/** The name of the type at a pointer into an input. Names of GraphQL need no escapes in a pointer. */
function typeNameAt(type: GraphQLInputType, tokens: readonly string[]): string {
  if (isNonNullType(type)) return typeNameAt(type.ofType, tokens);
  const [token, ...rest] = tokens;
  if (isListType(type)) return typeNameAt(type.ofType, rest);
  const member = token !== undefined && isInputObjectType(type) ? type.getFields()[token] : undefined;
  return member ? typeNameAt(member.type, rest) : type.name;
}
