import type { FetchNode, PlanNode, QueryPlan, QueryPlanSelectionNode } from "@apollo/query-planner";
import {
  type DocumentNode,
  type FieldNode,
  Kind,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  stripIgnoredCharacters,
  visit,
} from "graphql";
import type { RequiredInputs } from "./required-inputs.js";

/** Returns the plan with the subgraphs' original fields in place of the planning schema's input names. */
export function withInputs(plan: QueryPlan, inputs: RequiredInputs): QueryPlan {
  if (inputs.byName.size === 0 || !plan.node) return plan;
  const rewriter = new PlanRewriter(inputs);
  if (plan.node.kind !== "Subscription") return { ...plan, node: rewriter.node(plan.node) };
  const { primary, rest } = plan.node;
  const node = { ...plan.node, primary: rewriter.named(primary), ...(rest ? { rest: rewriter.node(rest) } : {}) };
  return { ...plan, node };
}

class PlanRewriter {
  readonly #inputs: RequiredInputs;

  constructor(inputs: RequiredInputs) {
    this.#inputs = inputs;
  }

  node(node: PlanNode): PlanNode {
    switch (node.kind) {
      case "Fetch": {
        const fetches = this.#split(node).map((fetch) => this.named(fetch));
        return fetches.length === 1 && fetches[0] ? fetches[0] : { kind: "Parallel", nodes: fetches };
      }
      case "Flatten":
        return { ...node, node: this.node(node.node) };
      case "Sequence":
      case "Parallel":
        return { ...node, nodes: node.nodes.map((child) => this.node(child)) };
      case "Condition":
        return {
          ...node,
          ...(node.ifClause ? { ifClause: this.node(node.ifClause) } : {}),
          ...(node.elseClause ? { elseClause: this.node(node.elseClause) } : {}),
        };
      default:
        return node;
    }
  }

  /**
   * Replaces each input name with its original field in the operation and in `requires`. The input name is the alias.
   */
  named(fetch: FetchNode): FetchNode {
    const document = visit(parse(fetch.operation, { noLocation: true }), {
      Field: (field): FieldNode | undefined => {
        const input = this.#inputs.byName.get(field.name.value);
        return (
          input && {
            ...field,
            alias: field.alias ?? field.name,
            name: { kind: Kind.NAME, value: input.field },
            arguments: input.arguments,
          }
        );
      },
    });
    const requires = fetch.requires?.map((each) => this.#selection(each));
    return { ...fetch, ...operationText(document), ...(requires ? { requires } : {}) };
  }

  #selection(selection: QueryPlanSelectionNode): QueryPlanSelectionNode {
    const inner = selection.selections ? { selections: selection.selections.map((each) => this.#selection(each)) } : {};
    if (selection.kind !== "Field") return { ...selection, ...inner } as QueryPlanSelectionNode;
    const input = this.#inputs.byName.get(selection.name);
    return input ? { ...selection, ...inner, alias: selection.name, name: input.field } : { ...selection, ...inner };
  }

  /** Splits a fetch whose inputs conflict: one representation cannot hold the same field with different arguments. */
  #split(fetch: FetchNode): FetchNode[] {
    if (!fetch.requires || !this.#hasConflict(inputNames(fetch.requires, this.#inputs))) return [fetch];
    const document = parse(fetch.operation, { noLocation: true });
    const groups: Set<string>[] = [];
    const groupOf = new Map<FieldNode, number>();
    forEachEntityField(document, (field, type) => {
      const neededInputs = this.#neededBy(type, field.name.value);
      let place = groups.findIndex((group) => !this.#hasConflict(new Set([...group, ...neededInputs])));
      if (place === -1) place = groups.push(new Set()) - 1;
      for (const name of neededInputs) groups[place]?.add(name);
      groupOf.set(field, place);
    });
    return groups.map((group, place) => {
      const keptDocument = keepEntityFields(document, (field) => groupOf.get(field) === place);
      const requires = (fetch.requires ?? []).flatMap((each) => this.#without(each, group));
      return { ...fetch, ...operationText(keptDocument), requires };
    });
  }

  #neededBy(typeCondition: string, field: string): ReadonlySet<string> {
    const direct = this.#inputs.byField.get(`${typeCondition}.${field}`);
    if (direct) return direct;
    // The type condition may be an interface while the field sets belong to its implementations.
    return new Set(
      [...this.#inputs.byField].flatMap(([coordinate, names]) => (coordinate.endsWith(`.${field}`) ? [...names] : [])),
    );
  }

  #hasConflict(names: ReadonlySet<string>): boolean {
    const fields = [...names].map((name) => this.#inputs.byName.get(name)?.field);
    return new Set(fields).size < fields.length;
  }

  /** Removes the inputs that the group does not need, and removes selections that become empty. */
  #without(selection: QueryPlanSelectionNode, group: ReadonlySet<string>): QueryPlanSelectionNode[] {
    if (selection.kind === "Field" && this.#inputs.byName.has(selection.name) && !group.has(selection.name)) return [];
    if (!selection.selections) return [selection];
    const selections = selection.selections.flatMap((each) => this.#without(each, group));
    return selections.length === 0 ? [] : [{ ...selection, selections } as QueryPlanSelectionNode];
  }
}

function inputNames(
  selections: readonly QueryPlanSelectionNode[],
  inputs: RequiredInputs,
  names = new Set<string>(),
): Set<string> {
  for (const selection of selections) {
    if (selection.kind === "Field" && inputs.byName.has(selection.name)) names.add(selection.name);
    inputNames(selection.selections ?? [], inputs, names);
  }
  return names;
}

/** Prints the document and removes the variables that it no longer uses. */
function operationText(document: DocumentNode): Pick<FetchNode, "operation" | "variableUsages"> {
  const usedNames = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void usedNames.add(name.value),
  });
  const prunedDocument = visit(document, {
    VariableDefinition: ({ variable }) => (usedNames.has(variable.name.value) ? undefined : null),
  });
  usedNames.delete("representations");
  return { operation: stripIgnoredCharacters(print(prunedDocument)), variableUsages: [...usedNames] };
}

type KeepField = (field: FieldNode) => boolean;

function forEachEntityField(document: DocumentNode, look: (field: FieldNode, type: string) => void): void {
  const walk = (set: SelectionSetNode, type: string): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) look(selection, type);
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        walk(selection.selectionSet, selection.typeCondition?.name.value ?? type);
    }
  };
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const field of definition.selectionSet.selections) {
      if (field.kind === Kind.FIELD && field.selectionSet) walk(field.selectionSet, "");
    }
  }
}

function keepEntityFields(document: DocumentNode, keep: KeepField): DocumentNode {
  const within = (set: SelectionSetNode): SelectionSetNode => ({
    ...set,
    selections: set.selections.flatMap((selection): SelectionNode[] => {
      if (selection.kind === Kind.FIELD) return keep(selection) ? [selection] : [];
      if (selection.kind !== Kind.INLINE_FRAGMENT) return [selection];
      const selectionSet = within(selection.selectionSet);
      return selectionSet.selections.length === 0 ? [] : [{ ...selection, selectionSet }];
    }),
  });
  return visit(document, {
    OperationDefinition: (operation) => ({
      ...operation,
      selectionSet: {
        ...operation.selectionSet,
        selections: operation.selectionSet.selections.map((field) =>
          field.kind === Kind.FIELD && field.selectionSet
            ? { ...field, selectionSet: within(field.selectionSet) }
            : field,
        ),
      },
    }),
  });
}
