import {
  type ArgumentDefinition,
  buildSubgraph,
  type EnumType,
  type FieldDefinition,
  type InputObjectType,
  type InterfaceType,
  type NamedType,
  type ObjectType,
  type Supergraph,
  type UnionType,
} from "@apollo/federation-internals";

/**
 * Compares a supergraph with its connected subgraphs' SDL. It returns one sentence for each type, field,
 * argument, input field, enum value, union member and key that the supergraph expects and a subgraph lacks or declares
 * with another type. It also returns one sentence for each argument and input field that a subgraph requires and the
 * supergraph does not know. The list is empty when everything fits.
 *
 * `connected`: subgraph name -> the SDL that the subgraph returns (`_service { sdl }`).
 */
export function missingInSubgraphs(supergraph: Supergraph, connected: Readonly<Record<string, string>>): string[] {
  const problems: string[] = [];
  for (const { name, url, schema } of supergraph.subgraphs()) {
    const sdl = connected[name];
    if (sdl === undefined) {
      problems.push(`The subgraph "${name}" is not connected to this gateway.`);
      continue;
    }
    const own = buildSubgraph(name, url, sdl).schema;
    for (const asked of schema.types()) {
      if (asked.isIntrospectionType() || isOfFederation(asked.name)) continue;
      const found = own.type(asked.name);
      if (found?.kind !== asked.kind) problems.push(`The subgraph "${name}" has no ${kindOf(asked)} "${asked.name}".`);
      else compareTypes(asked, found, (problem) => problems.push(`The subgraph "${name}" ${problem}`));
    }
  }
  return problems;
}

type Report = (problem: string) => void;

/** The names that Federation adds to each subgraph, such as `_entities`, `_Any` and `link__Import`. */
const isOfFederation = (name: string) => name.startsWith("_") || name.includes("__");

const kindOf = ({ kind }: NamedType) =>
  kind
    .replace(/Type$/, "")
    .replace(/^InputObject$/, "input")
    .toLowerCase();

/** Compares two types with the same kind. */
function compareTypes(asked: NamedType, own: NamedType, report: Report): void {
  if (asked.kind === "EnumType") compareEnums(asked, own as EnumType, report);
  else if (asked.kind === "UnionType") compareUnions(asked, own as UnionType, report);
  else if (asked.kind === "InputObjectType") compareInputs(asked, own as InputObjectType, report);
  else if (asked.kind === "ObjectType") compareComposites(asked, own as ObjectType, report);
  else if (asked.kind === "InterfaceType") compareComposites(asked, own as InterfaceType, report);
}

function compareEnums(asked: EnumType, own: EnumType, report: Report): void {
  for (const { name } of asked.values) if (!own.value(name)) report(`has no enum value "${asked.name}.${name}".`);
}

function compareUnions(asked: UnionType, own: UnionType, report: Report): void {
  const members = new Set(own.types().map(({ name }) => name));
  for (const { name } of asked.types())
    if (!members.has(name)) report(`has no "${name}" in the union "${asked.name}".`);
}

function compareInputs(asked: InputObjectType, own: InputObjectType, report: Report): void {
  for (const field of asked.fields()) {
    const found = own.field(field.name);
    if (!found) report(`has no input field "${field.coordinate}".`);
    else if (!isEqualType(field, found)) report(typeDiffers(field, found));
  }
  for (const field of own.fields())
    if (field.isRequired() && !asked.field(field.name)) report(`requires the input field "${field.coordinate}".`);
}

function compareComposites(asked: ObjectType | InterfaceType, own: ObjectType | InterfaceType, report: Report): void {
  for (const field of asked.fields()) {
    if (isOfFederation(field.name)) continue;
    const found = own.field(field.name);
    if (!found) report(`has no field "${field.coordinate}".`);
    else compareFields(field as FieldDefinition<never>, found as FieldDefinition<never>, report);
  }
  const ownKeys = new Set(keysOf(own));
  for (const key of keysOf(asked)) if (!ownKeys.has(key)) report(`cannot resolve "${asked.name}" by the key "${key}".`);
}

function compareFields(asked: FieldDefinition<never>, own: FieldDefinition<never>, report: Report): void {
  if (!isEqualType(asked, own)) report(typeDiffers(asked, own));
  for (const argument of asked.arguments()) {
    const found = own.argument(argument.name);
    if (!found) report(`has no argument "${argument.coordinate}".`);
    else if (!isEqualType(argument, found)) report(typeDiffers(argument, found));
  }
  for (const argument of own.arguments() as readonly ArgumentDefinition<never>[])
    if (argument.isRequired() && !asked.argument(argument.name))
      report(`requires the argument "${argument.coordinate}".`);
}

interface Typed {
  readonly type?: { toString(): string } | undefined;
  readonly coordinate: string;
}

const isEqualType = (asked: Typed, own: Typed) => String(asked.type) === String(own.type);

const typeDiffers = (asked: Typed, own: Typed) =>
  `has "${own.coordinate}" of type ${String(own.type)}, but the supergraph gives it the type ${String(asked.type)}.`;

/** A type's resolvable keys. */
function keysOf(type: NamedType): string[] {
  return type.appliedDirectivesOf("key").flatMap((directive) => {
    const { fields, resolvable } = directive.arguments() as { fields: string; resolvable?: boolean };
    return resolvable === false ? [] : [fields.replaceAll(/[\s,]+/g, " ").trim()];
  });
}
