import { foreignNumber } from "@factory/runtime/json/kept-numbers";
import {
  type ASTNode,
  type DocumentNode,
  type FloatValueNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  type IntValueNode,
  isInputObjectType,
  isListType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  parseType,
  print,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type Fields, ownValue, setOwn } from "./own-property.js";

/** A document whose literals are variables, so that one plan serves all values. */
export interface LiftedLiterals {
  /** The document with variables in place of literals. It contains one operation. */
  readonly document: DocumentNode;
  /** Returns the client's variables plus the lifted literals for one run, or `provided` if nothing was lifted. */
  readonly variables: (provided: Readonly<Fields>, coerced: Readonly<Fields>) => Readonly<Fields>;
}

type Build = (coerced: Readonly<Fields>) => unknown;

interface LiftedLiteral {
  readonly name: string;
  readonly definition: VariableDefinitionNode;
  readonly build: Build;
}

/**
 * Moves lists, objects and custom scalar values from the document into variables. The planner's work (2.14.4) doubles
 * with each list level in a literal, but the planner never reads a variable. Variables inside a literal get the values
 * coerced for the API schema, so that defaults apply and omitted fields stay omitted.
 */
export function liftLiterals(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): LiftedLiterals {
  const definitions = operation.variableDefinitions ?? [];
  const nestedDefaults = new Set(
    definitions.filter(({ defaultValue }) => isNested(defaultValue)).map(({ variable }) => variable.name.value),
  );
  const liftedLiterals = new Map<string, LiftedLiteral>();
  const freeName = nameGiver(document);
  const lift = (value: ValueNode, type: GraphQLInputType): LiftedLiteral => {
    // Equal literals share one variable, because fields with the same response key must keep equal arguments.
    const key = `${String(type)} ${canonicalText(value)}`;
    const knownLiteral = liftedLiterals.get(key);
    if (knownLiteral) {
      return knownLiteral;
    }
    const name = freeName();
    const literal = {
      name,
      definition: {
        kind: Kind.VARIABLE_DEFINITION,
        variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } },
        type: parseType(String(type), { noLocation: true }),
      },
      build: builder(value, type),
    } as const;
    liftedLiterals.set(key, literal);
    return literal;
  };
  const typeInfo = new TypeInfo(schema);
  const ownDefinitions = document.definitions.filter(
    (definition) => definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  const rewritten = visit(
    { ...document, definitions: ownDefinitions },
    visitWithTypeInfo(typeInfo, {
      Directive: () => false,
      Argument(node) {
        const type = typeInfo.getArgument()?.type;
        if (!type || !isLifted(node.value, type, nestedDefaults)) {
          return undefined;
        }
        return { ...node, value: lift(node.value, type).definition.variable };
      },
    }),
  );
  if (liftedLiterals.size === 0 && nestedDefaults.size === 0) {
    return { document: rewritten, variables: (providedValues) => providedValues };
  }
  const literals = [...liftedLiterals.values()];
  const keptDefinitions = definitions.filter(({ variable }) => !nestedDefaults.has(variable.name.value));
  const variableDefinitions = [...keptDefinitions, ...literals.map(({ definition }) => definition)];
  return {
    document: {
      ...rewritten,
      definitions: rewritten.definitions.map((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION ? { ...definition, variableDefinitions } : definition,
      ),
    },
    variables: (providedValues, coercedValues) => {
      const variables: Fields = { ...providedValues };
      for (const { name, build } of literals) {
        variables[name] = build(coercedValues);
      }
      return variables;
    },
  };
}

function isNested(value: ValueNode | undefined): boolean {
  return value?.kind === Kind.LIST || value?.kind === Kind.OBJECT;
}

function isLifted(value: ValueNode, type: GraphQLInputType, nestedDefaults: ReadonlySet<string>): boolean {
  if (value.kind === Kind.VARIABLE) {
    return nestedDefaults.has(value.name.value);
  }
  const namedType = getNamedType(type);
  return isNested(value) || (value.kind !== Kind.NULL && isScalarType(namedType) && !isSpecifiedScalarType(namedType));
}

function nameGiver(document: DocumentNode): () => string {
  const usedNames = new Set<string>();
  visit(document, {
    Variable({ name }) {
      usedNames.add(name.value);
    },
  });
  let count = 0;
  return () => {
    let name: string;
    do {
      name = `literal_${count}`;
      count += 1;
    } while (usedNames.has(name));
    return name;
  };
}

/** Returns the same text for literals that differ only in layout or in field order. */
function canonicalText(value: ValueNode): string {
  if (value.kind === Kind.LIST) {
    return `[${value.values.map(canonicalText).join(",")}]`;
  }
  if (value.kind === Kind.OBJECT) {
    const fields = value.fields.map((field) => `${field.name.value}:${canonicalText(field.value)}`);
    return `{${fields.sort().join(",")}}`;
  }
  return print(value as ASTNode);
}

/** Converts a literal into the JSON value that a client would send for it. */
function builder(value: ValueNode, type: GraphQLInputType | undefined): Build {
  const nullable = type && getNullableType(type);
  switch (value.kind) {
    case Kind.VARIABLE:
      return (coercedValues) => ownValue(coercedValues, value.name.value);
    case Kind.NULL:
      return () => null;
    case Kind.LIST:
      return list(value.values.map((item) => builder(item, isListType(nullable) ? nullable.ofType : nullable)));
    case Kind.OBJECT: {
      const namedType = nullable && getNamedType(nullable);
      const fields = isInputObjectType(namedType) ? namedType.getFields() : {};
      return object(
        value.fields.map(({ name, value: inner }) => [name.value, builder(inner, fields[name.value]?.type)] as const),
      );
    }
    case Kind.INT:
      // An ID may have more digits than a JavaScript number can represent exactly.
      return nullable && getNamedType(nullable).name === "ID" ? () => value.value : constant(numberOf(value, nullable));
    case Kind.FLOAT:
      return constant(numberOf(value, nullable));
    default:
      return constant(value.value);
  }
}

/** A number inside a custom scalar is foreign and keeps its text. */
const numberOf = ({ value }: IntValueNode | FloatValueNode, type: GraphQLInputType | undefined) =>
  type && isSpecifiedScalarType(getNamedType(type)) ? Number(value) : foreignNumber(value);

const constant =
  (value: unknown): Build =>
  () =>
    value;

/** In a list, an omitted variable becomes null (GraphQL 3.11). */
function list(items: readonly Build[]): Build {
  return (coercedValues) => items.map((item) => item(coercedValues) ?? null);
}

/** In an object, a field with an omitted variable is omitted too (GraphQL 3.10). */
function object(fields: readonly (readonly [string, Build])[]): Build {
  return (coercedValues) => {
    const fieldValues: Fields = {};
    for (const [name, build] of fields) {
      const value = build(coercedValues);
      if (value !== undefined) {
        setOwn(fieldValues, name, value);
      }
    }
    return fieldValues;
  };
}
