import { Directive } from "type-graphql";

/** Bounds of an input value, visible in the SDL and enforced by REST and GraphQL alike. */
export interface InputConstraint {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** ECMAScript pattern with the `u` flag. */
  readonly pattern?: string;
  readonly format?: "email" | "uri" | "date" | "date-time";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export const constraintDirective =
  "directive @constraint(minLength: Int, maxLength: Int, pattern: String, format: String, minimum: Int, maximum: Int, minItems: Int, maxItems: Int) on INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION";

/** Declares bounds on a field of an input type. For a list, lengths and patterns bind its items. */
export function Constraint(constraint: InputConstraint): PropertyDecorator {
  const values = Object.entries(constraint).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return Directive(`@constraint(${values.join(", ")})`) as PropertyDecorator;
}
