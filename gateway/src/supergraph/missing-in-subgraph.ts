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
 * `connectedSdls`: subgraph name -> the SDL that the subgraph returns (`_service { sdl }`).
 */
export function missingInSubgraphs(supergraph: Supergraph, connectedSdls: Readonly<Record<string, string>>): string[] {
  const problems: string[] = [];
  for (const { name, url, schema } of supergraph.subgraphs()) {
    const sdl = connectedSdls[name];
    if (sdl === undefined) {
      problems.push(`The subgraph "${name}" is not connected to this gateway.`);
      continue;
    }
    const ownSchema = buildSubgraph(name, url, sdl).schema;
    for (const askedType of schema.types()) {
      if (askedType.isIntrospectionType() || isOfFederation(askedType.name)) continue;
      const ownType = ownSchema.type(askedType.name);
      if (ownType?.kind !== askedType.kind)
        problems.push(`The subgraph "${name}" has no ${kindOf(askedType)} "${askedType.name}".`);
      else compareTypes(askedType, ownType, (problem) => problems.push(`The subgraph "${name}" ${problem}`));
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
function compareTypes(askedType: NamedType, ownType: NamedType, report: Report): void {
  if (askedType.kind === "EnumType" && ownType.kind === "EnumType") compareEnums(askedType, ownType, report);
  else if (askedType.kind === "UnionType" && ownType.kind === "UnionType") compareUnions(askedType, ownType, report);
  else if (askedType.kind === "InputObjectType" && ownType.kind === "InputObjectType")
    compareInputs(askedType, ownType, report);
  else if (askedType.kind === "ObjectType" && ownType.kind === "ObjectType")
    compareComposites(askedType, ownType, report);
  else if (askedType.kind === "InterfaceType" && ownType.kind === "InterfaceType")
    compareComposites(askedType, ownType, report);
}

function compareEnums(askedType: EnumType, ownType: EnumType, report: Report): void {
  for (const { name } of askedType.values)
    if (!ownType.value(name)) report(`has no enum value "${askedType.name}.${name}".`);
}

function compareUnions(askedType: UnionType, ownType: UnionType, report: Report): void {
  const members = new Set(ownType.types().map(({ name }) => name));
  for (const { name } of askedType.types())
    if (!members.has(name)) report(`has no "${name}" in the union "${askedType.name}".`);
}

function compareInputs(askedType: InputObjectType, ownType: InputObjectType, report: Report): void {
  for (const field of askedType.fields()) {
    const ownField = ownType.field(field.name);
    if (!ownField) report(`has no input field "${field.coordinate}".`);
    else if (!isEqualType(field, ownField)) report(typeDiffers(field, ownField));
  }
  for (const field of ownType.fields())
    if (field.isRequired() && !askedType.field(field.name)) report(`requires the input field "${field.coordinate}".`);
}

function compareComposites(
  askedType: ObjectType | InterfaceType,
  ownType: ObjectType | InterfaceType,
  report: Report,
): void {
  for (const field of askedType.fields()) {
    if (isOfFederation(field.name)) continue;
    const ownField = ownType.field(field.name);
    if (!ownField) report(`has no field "${field.coordinate}".`);
    else compareFields(field as FieldDefinition<never>, ownField as FieldDefinition<never>, report);
  }
  const ownKeys = new Set(keysOf(ownType));
  for (const key of keysOf(askedType))
    if (!ownKeys.has(key)) report(`cannot resolve "${askedType.name}" by the key "${key}".`);
}

function compareFields(askedField: FieldDefinition<never>, ownField: FieldDefinition<never>, report: Report): void {
  if (!isEqualType(askedField, ownField)) report(typeDiffers(askedField, ownField));
  for (const argument of askedField.arguments()) {
    const ownArgument = ownField.argument(argument.name);
    if (!ownArgument) report(`has no argument "${argument.coordinate}".`);
    else if (!isEqualType(argument, ownArgument)) report(typeDiffers(argument, ownArgument));
  }
  for (const argument of ownField.arguments() as readonly ArgumentDefinition<never>[])
    if (argument.isRequired() && !askedField.argument(argument.name))
      report(`requires the argument "${argument.coordinate}".`);
}

interface Typed {
  readonly type?: { toString(): string } | undefined;
  readonly coordinate: string;
}

const isEqualType = (askedElement: Typed, ownElement: Typed) => String(askedElement.type) === String(ownElement.type);

const typeDiffers = (askedElement: Typed, ownElement: Typed) =>
  `has "${ownElement.coordinate}" of type ${String(ownElement.type)}, but the supergraph gives it the type ${String(askedElement.type)}.`;

/** A type's resolvable keys. */
function keysOf(type: NamedType): string[] {
  return type.appliedDirectivesOf("key").flatMap((directive) => {
    const { fields, resolvable } = directive.arguments() as { fields: string; resolvable?: boolean };
    return resolvable === false ? [] : [fields.replaceAll(/[\s,]+/g, " ").trim()];
  });
}
