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
}

/** The SDL for the directive that `@Constraint` writes. */
export const constraintDirective =
  "directive @constraint(minLength: Int, maxLength: Int, pattern: String, format: String, minimum: Int, maximum: Int, minItems: Int, maxItems: Int) on INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION";

/** Declares limits for an argument or a field in an input type. For a list, lengths and patterns apply to its items. */
export function Constraint(constraint: InputConstraint): PropertyDecorator & ParameterDecorator {
  const values = Object.entries(constraint).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return Directive(`@constraint(${values.join(", ")})`) as PropertyDecorator & ParameterDecorator;
}
