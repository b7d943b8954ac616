import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isNonNullType,
  Kind,
} from "graphql";
import { type Operation, rootFieldOf } from "./load-operation.js";

/** The SDL description for the argument, or for an input argument's member, to which a variable is passed. */
export const describeVariable = (operation: Operation, variable: string, graph: GraphQLSchema): string | undefined =>
  variableTarget(operation, variable, graph)?.description ?? undefined;

/** The argument, or an input argument's member, to which a variable is passed. */
export function variableTarget(
  operation: Operation,
  variable: string,
  graph: GraphQLSchema,
): GraphQLArgument | GraphQLInputField | undefined {
  const { args } = rootFieldOf(graph, operation);
  for (const { name, value } of operation.root.arguments ?? []) {
    const argument = args.find((candidate) => candidate.name === name.value);
    if (value.kind === Kind.VARIABLE && value.name.value === variable) return argument;
    if (value.kind !== Kind.OBJECT || !argument) continue;
    const type = isNonNullType(argument.type) ? argument.type.ofType : argument.type;
    const member = value.fields.find(
      (field) => field.value.kind === Kind.VARIABLE && field.value.name.value === variable,
    );
    if (member && isInputObjectType(type)) return type.getFields()[member.name.value];
  }
  return undefined;
}
