import { type DirectiveNode, type DocumentNode, Kind, type SelectionNode, visit } from "graphql";
import type { CompiledOperation } from "./compiled-operation.js";
import type { Fields } from "./own-property.js";

/** With more condition variables the general plan serves every combination: plans would double with each. */
export const MAX_SPECIALISED_CONDITIONS = 3;

export interface Specialisation<C> {
  readonly conditions: readonly string[];
  /** Undefined when the variables do not fit the operation. */
  readonly coerce: (variables: Record<string, unknown> | undefined) => Readonly<Fields> | undefined;
  readonly compile: (values: Readonly<Fields>) => CompiledOperation<C>;
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
    const key = conditions.map((name) => (values[name] === true ? "1" : "0")).join("");
    let operation = specialised.get(key);
    if (!operation) {
      try {
        operation = compile(values);
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

/** Leaves out what the values skip, and the directives of what they include. */
export function withoutConditions(document: DocumentNode, values: Readonly<Fields>): DocumentNode {
  const resolve = (selection: SelectionNode): SelectionNode | null | undefined => {
    const kept = selection.directives?.filter((directive) => decision(directive, values) === undefined) ?? [];
    if (selection.directives?.some((directive) => decision(directive, values) === false)) {
      return null;
    }
    return kept.length === (selection.directives?.length ?? 0) ? undefined : { ...selection, directives: kept };
  };
  return visit(document, {
    Field: resolve,
    InlineFragment: resolve,
    FragmentSpread: resolve,
    SelectionSet: {
      leave: (selectionSet) =>
        selectionSet.selections.length > 0
          ? undefined
          : { ...selectionSet, selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: "__typename" } }] },
    },
  });
}

/** Whether the directive includes its selection; undefined when it is another directive or of another operation. */
function decision({ name, arguments: given }: DirectiveNode, values: Readonly<Fields>): boolean | undefined {
  const value = given?.find((argument) => argument.name.value === "if")?.value;
  const condition =
    value?.kind === Kind.BOOLEAN ? value.value : value?.kind === Kind.VARIABLE ? values[value.name.value] : undefined;
  if (typeof condition !== "boolean") {
    return undefined;
  }
  return name.value === "include" ? condition : name.value === "skip" ? !condition : undefined;
}
