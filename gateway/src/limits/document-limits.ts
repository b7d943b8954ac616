import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from "graphql";
import { literalProblem } from "./value-limits.js";

/** The limits for an ad-hoc document. The parser also gets `maxTokens`, and stops at this limit. */
export const documentLimits = {
  maxBytes: 32 * 1024,
  maxTokens: 2000,
  maxDepth: 12,
  maxAliases: 30,
  maxRootFields: 20,
  maxCost: 5000,
  objectCost: 2,
  scalarCost: 1,
  /** The factor by which a level costs more than the level above. */
  depthFactor: 1.5,
  /** The list length that costs as much as a single object. */
  listUnit: 20,
  maxListFactor: 10,
  /** The cost that a `__schema` or `__type` field has. */
  introspectionCost: 1000,
} as const;

/** The graphql-js message when a document repeats the same fields so often that graphql-js stops comparing them. */
export const validationAborted = "Validation aborted.";

/** The graphql-js message when the parser stops at `maxTokens`. This error has no code. */
export const tooManyTokens = /^Syntax Error: Document contains more tha[nt] \d+ tokens\./;

const introspectionFields: ReadonlySet<string> = new Set(["__schema", "__type"]);
const lengthArguments: ReadonlySet<string> = new Set(["first", "last", "limit"]);
// Careless code that uses these names as keys can change prototypes (prototype pollution).
const refusedNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

interface Measure {
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly cost: number;
}

const nothing: Measure = { depth: 0, aliases: 0, rootFields: 0, cost: 0 };

/**
 * Returns the first limit that a document exceeds. Without `variables`, a list length that is a variable counts as the
 * maximum.
 */
export function limitProblem(
  document: DocumentNode,
  documentBytes: number,
  tokenCount?: number,
  variables?: Readonly<Record<string, unknown>>,
): { detail: string } | undefined {
  const limits = documentLimits;
  const inText =
    exceeded("bytes", documentBytes, limits.maxBytes) ??
    exceeded("tokens", tokenCount ?? 0, limits.maxTokens) ??
    refusedName(document) ??
    refusedValue(document);
  if (inText) {
    return inText;
  }
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const meter = new Meter(document, definition, variables);
      const { rootFields, depth, aliases, cost } = meter.measure(definition.selectionSet);
      const problem =
        exceeded("root fields", rootFields, limits.maxRootFields) ??
        exceeded("levels", depth, limits.maxDepth) ??
        exceeded("aliases", aliases, limits.maxAliases) ??
        exceeded("cost points", Math.ceil(cost), limits.maxCost);
      if (problem) {
        return problem;
      }
    }
  }
  return undefined;
}

function exceeded(unit: string, actual: number, limit: number): { detail: string } | undefined {
  return actual > limit
    ? { detail: `The document has ${actual} ${unit}, and at most ${limit} are allowed. Send a smaller document.` }
    : undefined;
}

function refusedName(document: DocumentNode): { detail: string } | undefined {
  let refusedAlias: string | undefined;
  visit(document, {
    Field({ alias, name }) {
      // With the alias __typename, a client could choose an entity's type.
      if (alias && (refusedNames.has(alias.value) || (alias.value === "__typename" && name.value !== "__typename"))) {
        refusedAlias = `The alias ${alias.value} is not allowed. Use another alias.`;
      }
    },
    VariableDefinition({ variable }) {
      if (refusedNames.has(variable.name.value)) {
        refusedAlias = `The variable name ${variable.name.value} is not allowed. Use another name.`;
      }
    },
  });
  return refusedAlias === undefined ? undefined : { detail: refusedAlias };
}

/** Checks the values in arguments, in directives and in default values. */
function refusedValue(document: DocumentNode): { detail: string } | undefined {
  let problem: { detail: string } | undefined;
  visit(document, {
    Argument({ value }) {
      problem ??= literalProblem(value);
      return false;
    },
    VariableDefinition({ defaultValue }) {
      problem ??= defaultValue && literalProblem(defaultValue);
    },
  });
  return problem;
}

/**
 * Measures a document with its fragments expanded. Each fragment is measured once, so nested spreads cannot multiply
 * the work.
 */
class Meter {
  readonly #fragments = new Map<string, SelectionSetNode>();
  readonly #measured = new Map<string, Measure>();
  readonly #defaults = new Map<string, ValueNode>();
  readonly #variables: Readonly<Record<string, unknown>> | undefined;

  constructor(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>> | undefined,
  ) {
    this.#variables = variables;
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
      if (defaultValue) {
        this.#defaults.set(variable.name.value, defaultValue);
      }
    }
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition.selectionSet);
      }
    }
  }

  measure(selectionSet: SelectionSetNode): Measure {
    let { depth, aliases, rootFields, cost } = nothing;
    for (const selection of selectionSet.selections) {
      const part =
        selection.kind === Kind.FIELD
          ? this.#field(selection)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.measure(selection.selectionSet)
            : this.#fragment(selection.name.value);
      depth = Math.max(depth, part.depth);
      aliases += part.aliases;
      rootFields += part.rootFields;
      cost += part.cost;
    }
    return { depth, aliases, rootFields, cost };
  }

  #fragment(name: string): Measure {
    const knownMeasure = this.#measured.get(name);
    const selectionSet = this.#fragments.get(name);
    if (knownMeasure || !selectionSet) {
      return knownMeasure ?? nothing;
    }
    // This value ends the recursion when fragments form a cycle. Validation refuses the cycle later.
    this.#measured.set(name, nothing);
    const measure = this.measure(selectionSet);
    this.#measured.set(name, measure);
    return measure;
  }

  #field(field: FieldNode): Measure {
    const aliases = field.alias ? 1 : 0;
    if (introspectionFields.has(field.name.value)) {
      // A graphql-js rule limits the introspection depth. Aliases count, because they multiply the result's size.
      const inner = field.selectionSet ? this.measure(field.selectionSet).aliases : 0;
      return { depth: 1, aliases: aliases + inner, rootFields: 1, cost: documentLimits.introspectionCost };
    }
    if (!field.selectionSet) {
      return { depth: 1, aliases, rootFields: 1, cost: documentLimits.scalarCost };
    }
    const inner = this.measure(field.selectionSet);
    return {
      depth: 1 + inner.depth,
      aliases: aliases + inner.aliases,
      rootFields: 1,
      cost: documentLimits.objectCost + documentLimits.depthFactor * this.#listFactor(field) * inner.cost,
    };
  }

  #listFactor(field: FieldNode): number {
    let factor = 1;
    for (const { name, value } of field.arguments ?? []) {
      if (lengthArguments.has(name.value)) {
        factor = Math.max(
          factor,
          Math.min(this.#length(value) / documentLimits.listUnit, documentLimits.maxListFactor),
        );
      }
    }
    return factor;
  }

  #length(value: ValueNode): number {
    if (value.kind === Kind.INT) {
      return Number(value.value);
    }
    if (value.kind !== Kind.VARIABLE) {
      return 0;
    }
    const name = value.name.value;
    if (!this.#variables) {
      return Number.POSITIVE_INFINITY;
    }
    const givenValue = Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined;
    if (givenValue !== undefined) {
      return typeof givenValue === "number" ? givenValue : 0;
    }
    const byDefault = this.#defaults.get(name);
    return byDefault?.kind === Kind.INT ? Number(byDefault.value) : 0;
  }
}
