import type { Scope } from "@factory/schema/scopes";
import { Directive, Extensions } from "type-graphql";

/** Who may call a root field. `scopes` are any-of and never implied by another. */
export interface AuthRule {
  readonly scopes?: readonly Scope[];
  readonly anonymous?: true;
  readonly platformAdmin?: true;
}

export const authDirective =
  "directive @auth(scopes: [String!], anonymous: Boolean, platformAdmin: Boolean) on FIELD_DEFINITION";

/** Declares the rule of a root field; a root field without one stops the build of its subgraph. */
export function Auth(rule: AuthRule): MethodDecorator {
  const values = Object.entries(rule).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return (target, property, descriptor) => {
    Extensions({ auth: rule })(target, property, descriptor as TypedPropertyDescriptor<unknown>);
    Directive(`@auth(${values.join(", ")})`)(target, property, descriptor as TypedPropertyDescriptor<unknown>);
  };
}
