import { conditionKey } from "../query-planner/conditions.js";
import type { Fields } from "../query-planner/own-property.js";
import type { CompiledOperation } from "./compiled-operation.js";

interface Specialisation<C> {
  readonly conditions: readonly string[];
  /** Returns undefined when the variables do not fit the operation. */
  readonly coerce: (variables: Record<string, unknown> | undefined) => Readonly<Fields> | undefined;
  /** Returns undefined when the general plan must serve these values. */
  readonly compile: (values: Readonly<Fields>) => CompiledOperation<C> | undefined;
}

/**
 * Uses a separate plan for each combination of @skip and @include values, compiled at its first use. The planner
 * (2.14.4) makes a skipped @requires field's inputs a condition for the whole entity fetch, so with one general plan
 * the entity's other fields were null.
 */
export function conditionalOperation<C>(
  general: CompiledOperation<C>,
  { conditions, coerce, compile }: Specialisation<C>,
): CompiledOperation<C> {
  const specialisedOperations = new Map<string, CompiledOperation<C>>();
  const pick = (variables: Record<string, unknown> | undefined): CompiledOperation<C> => {
    const values = coerce(variables);
    if (!values) {
      return general;
    }
    const key = conditionKey(conditions, values);
    let operation = specialisedOperations.get(key);
    if (!operation) {
      try {
        operation = compile(values) ?? general;
      } catch {
        // The general plan is compiled already and serves every combination.
        operation = general;
      }
      specialisedOperations.set(key, operation);
    }
    return operation;
  };
  return {
    kind: general.kind,
    plan: general.plan,
    execute: async (variables, context, signal) => pick(variables).execute(variables, context, signal),
    subscribe: async (variables, context, options) => pick(variables).subscribe(variables, context, options),
  };
}
