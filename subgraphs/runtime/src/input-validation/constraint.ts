import { Directive } from "type-graphql";

/** Limits for an input value. They are shown in the SDL and enforced for REST and GraphQL. */
export interface InputConstraint {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** An ECMAScript regular expression with the flag `u`. */
  readonly pattern?: string;
  /** The first three take international names, and their values reach the resolver in their `canonicalForm`. */
  readonly format?: "idn-email" | "idn-hostname" | "iri" | "date" | "date-time";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The allowed values, where they are not GraphQL names, so that no enum can list them. */
  readonly values?: readonly string[];
}

/** The SDL for the directive that `@Constraint` writes. */
export const constraintDirective =
  "directive @constraint(minLength: Int, maxLength: Int, pattern: String, format: String, minimum: Int, maximum: Int, minItems: Int, maxItems: Int, values: [String!]) on INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION | FIELD_DEFINITION";

/**
 * Declares limits for an argument or a field in an input type, and the possible values of a field in an output type. For
 * a list, lengths, patterns and values apply to its items.
 */
export function Constraint(constraint: InputConstraint): PropertyDecorator & ParameterDecorator {
  const values = Object.entries(constraint).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return Directive(`@constraint(${values.join(", ")})`) as PropertyDecorator & ParameterDecorator;
}
