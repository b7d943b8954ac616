import { conditionKey } from "../query-planner/conditions.js";
import type { Fields } from "../query-planner/own-property.js";
import type { CompiledOperation } from "./compiled-operation.js";

export interface Specialisation<C> {
  readonly conditions: readonly string[];
  /** Undefined when the variables do not fit the operation. */
  readonly coerce: (variables: Record<string, unknown> | undefined) => Readonly<Fields> | undefined;
  /** Undefined where the general plan has to serve. */
  readonly compile: (values: Readonly<Fields>) => CompiledOperation<C> | undefined;
}

/**
 * Plans each combination of @skip/@include values for itself, when it first occurs. The planner (2.14.4) makes the inputs
 * of a skipped @requires field a condition of the whole entity fetch, so the other fields of the entity came back null.
 */
export function conditionalOperation<C>(
  general: CompiledOperation<C>,
  { conditions, coerce, compile }: Specialisation<C>,
): CompiledOperation<C> {
  const specialised = new Map<string, CompiledOperation<C>>();
  const pick = (variables: Record<string, unknown> | undefined): CompiledOperation<C> => {
    const values = coerce(variables);
    if (!values) {
      return general;
    }
    const key = conditionKey(conditions, values);
    let operation = specialised.get(key);
    if (!operation) {
      try {
        operation = compile(values) ?? general;
      } catch {
        // the general plan has been compiled and answers every combination
        operation = general;
      }
      specialised.set(key, operation);
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
