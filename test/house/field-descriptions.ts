import { readFileSync } from "node:fs";
import {
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
} from "graphql";

type Field = FieldDefinitionNode | InputValueDefinitionNode;

interface DescribedField {
  /** As `Run.startedAt`. */
  readonly place: string;
  readonly type: TypeNode;
  readonly description: string | undefined;
  readonly isInput: boolean;
}

const numbersAndJson = new Set(["Int", "Float", "JSON", "JSONObject"]);
/** Words that say nothing about a field. */
const emptyWords = new Set("a an and any the this that of for from in its is or to by with which whose id".split(" "));
const rootTypes = new Set(["Query", "Mutation", "Subscription"]);

/** Relay's types, whose fields mean the same everywhere. */
const isOfRelay = (typeName: string) => /(Edge|Connection|PageInfo)$/.test(typeName) && typeName !== "Connection";

/** The members of all types and inputs in an SDL. */
export function fieldsOf(sdl: string): DescribedField[] {
  return parse(sdl).definitions.flatMap((definition) => {
    const isInput = definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;
    if (!isInput && definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    const { name, fields = [] } = definition as Pick<ObjectTypeDefinitionNode, "name"> & { fields?: readonly Field[] };
    if (rootTypes.has(name.value) || isOfRelay(name.value)) return [];
    return fields.map((field) => ({
      ...{ place: `${name.value}.${field.name.value}`, type: field.type, isInput },
      description: field.description?.value,
    }));
  });
}

/** Whether the name leaves something open: when it is null, the unit of a number, the order of a list, the form of JSON. */
export function needsDescription({ type, isInput }: DescribedField): boolean {
  const required = type.kind === Kind.NON_NULL_TYPE;
  const inner = required ? type.type : type;
  if (inner.kind === Kind.LIST_TYPE) return true;
  return (!required && !isInput) || numbersAndJson.has(inner.name.value);
}

/** Whether the description has no word that the names of the type and the field do not have. */
export function repeatsName({ place, description = "" }: DescribedField): boolean {
  const names = new Set(wordsOf(place.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")));
  const words = wordsOf(description);
  return words.length > 0 && words.every((word) => names.has(word));
}

/** In lower case and in the singular. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
    .map((word) => word.replace(/s$/, ""))
    .filter((word) => !emptyWords.has(word) && word !== "");

export const readSdl = (subgraph: string): string =>
  readFileSync(new URL(`../../schema/${subgraph}.graphql`, import.meta.url), "utf8");
