import type { Scope } from "@factory/schema/scopes";
import { Directive, Extensions } from "type-graphql";

/** Who may call a root field, follow a reference or read a guarded field. `scopes` are any-of and never implied. */
export interface AuthRule {
  readonly scopes?: readonly Scope[];
  readonly anonymous?: true;
  readonly platformAdmin?: true;
  /** For root fields: only what the internal listener runs. */
  readonly internal?: true;
}

export const authDirective =
  "directive @auth(scopes: [String!], anonymous: Boolean, platformAdmin: Boolean, internal: Boolean) on FIELD_DEFINITION";

/** Declares the rule of a root field; a root field without one stops the build of its subgraph. */
export function Auth(rule: AuthRule): MethodDecorator {
  const values = Object.entries(rule).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return (target, property, descriptor) => {
    Extensions({ auth: rule })(target, property, descriptor as TypedPropertyDescriptor<unknown>);
    Directive(values.length === 0 ? "@auth" : `@auth(${values.join(", ")})`)(
      target,
      property,
      descriptor as TypedPropertyDescriptor<unknown>,
    );
  };
}
