import { type DirectiveNode, type DocumentNode, Kind, type SelectionNode, visit } from "graphql";
import type { Fields } from "./own-property.js";

// Each further condition variable doubles the number of plans. Above this limit only the general plan is used.
const maxSpecializedConditions = 3;

/** Whether each combination of these conditions gets its own plan. */
export function isSpecialised(conditions: readonly string[]): boolean {
  return conditions.length > 0 && conditions.length <= maxSpecializedConditions;
}

/** Returns one digit per condition. The key is equal for values that select the same fields. */
export function conditionKey(conditions: readonly string[], values: Readonly<Fields>): string {
  return conditions.map((name) => (values[name] === true ? "1" : "0")).join("");
}

/** Returns every value combination. */
export function conditionValues(conditions: readonly string[]): Fields[] {
  return Array.from({ length: 2 ** conditions.length }, (_, number) =>
    Object.fromEntries(conditions.map((name, place) => [name, ((number >> place) & 1) === 1])),
  );
}

/** Removes the skipped selections, and the @skip and @include directives whose values are known. */
export function withoutConditions(document: DocumentNode, values: Readonly<Fields>): DocumentNode {
  const resolve = (selection: SelectionNode): SelectionNode | null | undefined => {
    const keptDirectives = selection.directives?.filter((directive) => decision(directive, values) === undefined) ?? [];
    if (selection.directives?.some((directive) => decision(directive, values) === false)) {
      return null;
    }
    return keptDirectives.length === (selection.directives?.length ?? 0)
      ? undefined
      : { ...selection, directives: keptDirectives };
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

/** Whether the directive includes its selection. Undefined for other directives and for conditions without a value. */
function decision({ name, arguments: argumentNodes }: DirectiveNode, values: Readonly<Fields>): boolean | undefined {
  const value = argumentNodes?.find((argument) => argument.name.value === "if")?.value;
  const condition =
    value?.kind === Kind.BOOLEAN ? value.value : value?.kind === Kind.VARIABLE ? values[value.name.value] : undefined;
  if (typeof condition !== "boolean") {
    return undefined;
  }
  return name.value === "include" ? condition : name.value === "skip" ? !condition : undefined;
}
