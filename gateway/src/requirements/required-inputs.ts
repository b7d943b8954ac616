import {
  type ArgumentNode,
  type ConstDirectiveNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type FieldNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  type TypeNode,
  visit,
} from "graphql";

/** A field with arguments inside a `@requires` field set. */
interface RequiredInput {
  /** The original field, which the subgraphs know. */
  readonly field: string;
  readonly arguments: readonly ArgumentNode[];
}

/** The fields with arguments that `@requires` needs, by input name and by the field that requires them. */
export interface RequiredInputs {
  /** Name in the planning schema -> the original field and its arguments. */
  readonly byName: ReadonlyMap<string, RequiredInput>;
  /** `Type.field` -> the input names that the field requires. */
  readonly byField: ReadonlyMap<string, ReadonlySet<string>>;
}

type TypeDefinition = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

interface PlanningSupergraph {
  readonly document: DocumentNode;
  readonly inputs: RequiredInputs;
}

/**
 * Adds a separate field to the planning supergraph for each field with arguments inside a `@requires`. The planner
 * (2.14.4) identifies such an input by its name only. A `price(currency: "EUR")` by the client or by another
 * `@requires` therefore replaced `price(currency: "USD")` without an error.
 */
export function separateInputs(supergraph: DocumentNode): PlanningSupergraph {
  const separation = new Separation(supergraph);
  const document = visit(supergraph, {
    ObjectTypeDefinition: (type) => separation.rewritten(type),
    InterfaceTypeDefinition: (type) => separation.rewritten(type),
  });
  return { document: separation.completed(document), inputs: separation };
}

class Separation implements RequiredInputs {
  readonly byName = new Map<string, RequiredInput>();
  readonly byField = new Map<string, Set<string>>();
  readonly #types = new Map<string, TypeDefinition>();
  readonly #fieldNames = new Set<string>();
  /** `Type.field(arguments)` -> the input's name. */
  readonly #known = new Map<string, string>();
  /** Type -> the fields that are added to the type. */
  readonly #added = new Map<string, Map<string, FieldDefinitionNode>>();
  /** The fields, as `Type.field`, that are now replaced by inputs. */
  readonly #separated = new Set<string>();

  constructor(supergraph: DocumentNode) {
    for (const type of supergraph.definitions) {
      if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION) {
        this.#types.set(type.name.value, type);
        for (const { name } of type.fields ?? []) this.#fieldNames.add(name.value);
      }
    }
  }

  /** Returns the type with renamed fields in its field sets, or undefined when nothing changes. */
  rewritten<T extends TypeDefinition>(type: T): T | undefined {
    let hasChanged = false;
    const fields = type.fields?.map((field) => {
      const directives = field.directives?.map((directive) => {
        const newDirective = this.#requires(directive, type.name.value, field.name.value);
        hasChanged ||= newDirective !== undefined;
        return newDirective ?? directive;
      });
      return { ...field, directives };
    });
    return hasChanged ? ({ ...type, fields } as T) : undefined;
  }

  completed(document: DocumentNode): DocumentNode {
    if (this.#added.size === 0) return document;
    const fieldSets = fieldSetsByGraph(document);
    const complete = <T extends TypeDefinition>(type: T): T | undefined => {
      const addedFields = this.#added.get(type.name.value);
      if (!addedFields) return undefined;
      const fields = type.fields?.map((field) =>
        this.#separated.has(`${type.name.value}.${field.name.value}`) ? this.#used(field, type, fieldSets) : field,
      );
      return { ...type, fields: [...(fields ?? []), ...addedFields.values()] } as T;
    };
    return visit(document, { ObjectTypeDefinition: complete, InterfaceTypeDefinition: complete });
  }

  /**
   * Removes external fields that no field set and no interface in the subgraph needs. Composition rejects such fields.
   */
  #used(field: FieldDefinitionNode, type: TypeDefinition, fieldSets: FieldSets): FieldDefinitionNode {
    const isUnused = (directive: ConstDirectiveNode): boolean => {
      const graph = argument(directive, "graph");
      if (directive.name.value !== "join__field" || argument(directive, "external") !== "true" || !graph) return false;
      const name = field.name.value;
      const isNeeded = type.directives?.some(
        (each) =>
          each.name.value === "join__implements" &&
          argument(each, "graph") === graph &&
          this.#types
            .get(argument(each, "interface") ?? "")
            ?.fields?.some((interfaceField) => interfaceField.name.value === name),
      );
      return !isNeeded && !fieldSets.get(graph)?.has(name);
    };
    return { ...field, directives: (field.directives ?? []).filter((directive) => !isUnused(directive)) };
  }

  #requires(directive: ConstDirectiveNode, type: string, field: string): ConstDirectiveNode | undefined {
    const requiredFields = argument(directive, "requires");
    if (directive.name.value !== "join__field" || requiredFields === undefined) return undefined;
    const operation = parse(`{ ${requiredFields} }`, { noLocation: true }).definitions[0] as OperationDefinitionNode;
    const inputNames = new Set<string>();
    const selectionSet = this.#selections(operation.selectionSet, type, inputNames);
    if (inputNames.size === 0) return undefined;
    const coordinate = `${type}.${field}`;
    this.byField.set(coordinate, new Set([...(this.byField.get(coordinate) ?? []), ...inputNames]));
    const value = selectionSet.selections.map(print).join(" ");
    return {
      ...directive,
      arguments: (directive.arguments ?? []).map((each) =>
        each.name.value === "requires" ? { ...each, value: { kind: Kind.STRING, value } } : each,
      ),
    };
  }

  #selections(set: SelectionSetNode, type: string, inputNames: Set<string>): SelectionSetNode {
    const selections = set.selections.map((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const inner = selection.typeCondition?.name.value ?? type;
        return { ...selection, selectionSet: this.#selections(selection.selectionSet, inner, inputNames) };
      }
      return this.#field(selection, type, inputNames);
    });
    return { ...set, selections };
  }

  #field(field: FieldNode, type: string, inputNames: Set<string>): FieldNode {
    const definition = this.#types.get(type)?.fields?.find(({ name }) => name.value === field.name.value);
    const inner = definition ? namedType(definition.type) : "";
    const inside = field.selectionSet ? { selectionSet: this.#selections(field.selectionSet, inner, inputNames) } : {};
    if (!definition || !field.arguments || field.arguments.length === 0) return { ...field, ...inside };
    const name = this.#input(field, type);
    inputNames.add(name);
    return { ...field, name: { kind: Kind.NAME, value: name }, arguments: [], ...inside };
  }

  #input(field: FieldNode, type: string): string {
    const argumentNodes = field.arguments ?? [];
    const identity = `${type}.${field.name.value}(${argumentNodes.map(print).sort().join(", ")})`;
    const knownName = this.#known.get(identity);
    if (knownName) return knownName;
    const name = this.#freeName(field.name.value);
    this.#known.set(identity, name);
    this.byName.set(name, { field: field.name.value, arguments: argumentNodes });
    for (const owner of this.#owners(type)) this.#add(owner, field.name.value, name);
    return name;
  }

  #freeName(field: string): string {
    let name: string;
    let number = this.byName.size;
    do {
      number += 1;
      name = `${field}_required_${number}`;
    } while (this.#fieldNames.has(name));
    this.#fieldNames.add(name);
    return name;
  }

  /** Returns the type and the types that implement it. */
  #owners(type: string): TypeDefinition[] {
    return [...this.#types.values()].filter(
      ({ name, interfaces }) => name.value === type || interfaces?.some((each) => each.name.value === type),
    );
  }

  #add(owner: TypeDefinition, field: string, name: string): void {
    const original = owner.fields?.find((each) => each.name.value === field);
    if (!original) return;
    this.#separated.add(`${owner.name.value}.${field}`);
    const addedFields = this.#added.get(owner.name.value) ?? new Map<string, FieldDefinitionNode>();
    addedFields.set(name, { ...original, name: { kind: Kind.NAME, value: name }, arguments: [] });
    this.#added.set(owner.name.value, addedFields);
  }
}

type FieldSets = ReadonlyMap<string, ReadonlySet<string>>;

const fieldSetArguments = ["requires", "provides", "key"];

/** Graph -> the names that occur in its field sets. */
function fieldSetsByGraph(document: DocumentNode): FieldSets {
  const names = new Map<string, Set<string>>();
  visit(document, {
    Directive(directive) {
      const graph = argument(directive, "graph");
      if (!graph) return;
      const graphNames = names.get(graph) ?? new Set<string>();
      names.set(graph, graphNames);
      for (const set of fieldSetArguments.map((name) => argument(directive, name) ?? "")) {
        for (const name of set.match(/\w+/g) ?? []) graphNames.add(name);
      }
    },
  });
  return names;
}

function argument(directive: DirectiveNode, name: string): string | undefined {
  const value = directive.arguments?.find((each) => each.name.value === name)?.value;
  if (value?.kind === Kind.BOOLEAN) return String(value.value);
  return value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}

/**
 * Puts a type's resolvable keys before the other keys. When an entity returns to the subgraph that it came from, the
 * planner (2.14.4) takes the first key, even when that key is not resolvable.
 */
export function resolvableKeysFirst(supergraph: DocumentNode): DocumentNode {
  const sortKeys = <T extends TypeDefinition>(type: T): T | undefined =>
    type.directives?.some((directive, index, all) => isUnresolvable(directive) && isBeforeResolvable(index, all))
      ? {
          ...type,
          // The sort is stable, so the other keys keep their order.
          directives: [...type.directives].sort((a, b) => Number(isUnresolvable(a)) - Number(isUnresolvable(b))),
        }
      : undefined;
  return visit(supergraph, { ObjectTypeDefinition: sortKeys, InterfaceTypeDefinition: sortKeys });
}

/** Whether a later key in the same graph is resolvable. */
function isBeforeResolvable(index: number, all: readonly DirectiveNode[]): boolean {
  const graph = argument(all[index] as DirectiveNode, "graph");
  return all
    .slice(index + 1)
    .some(
      (other) =>
        other.name.value === "join__type" &&
        argument(other, "graph") === graph &&
        argument(other, "key") !== undefined &&
        !isUnresolvable(other),
    );
}

function isUnresolvable(directive: DirectiveNode): boolean {
  return directive.name.value === "join__type" && argument(directive, "resolvable") === "false";
}
