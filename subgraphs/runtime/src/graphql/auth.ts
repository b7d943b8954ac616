import type { Scope } from "@factory/schema/scopes";
import { Directive, Extensions } from "type-graphql";

/**
 * The rule that says who may call a root field, resolve a reference or read a guarded field. One scope in `scopes` is
 * enough.
 */
export interface AuthRule {
  readonly scopes?: readonly Scope[];
  readonly anonymous?: true;
  readonly platformAdmin?: true;
  /** For root fields: the field is available on the internal listener only. */
  readonly internal?: true;
}

/** The SDL for the directive that `@Auth` writes. */
export const authDirective =
  "directive @auth(scopes: [String!], anonymous: Boolean, platformAdmin: Boolean, internal: Boolean) on FIELD_DEFINITION";

/** Declares a field's authorization rule. The subgraph build fails when a root field has no rule. */
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
