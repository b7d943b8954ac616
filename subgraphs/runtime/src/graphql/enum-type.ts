import { type Vocabulary, valuesOf } from "@factory/schema/vocabularies/vocabulary";
import { registerEnumType } from "type-graphql";

/** An enum as decorators take it: each value by its own name. */
type EnumType<Value extends string> = { readonly [Name in Value]: Name };

const registeredTypes = new Map<string, EnumType<string>>();

/** The GraphQL enum of a vocabulary. Every call with one vocabulary returns the same enum. */
export function enumType<Value extends string>(vocabulary: Vocabulary<Value>): EnumType<Value> {
  const { name, description, values } = vocabulary as Vocabulary;
  const registeredType = registeredTypes.get(name);
  if (registeredType) return registeredType as EnumType<Value>;
  const type = Object.fromEntries(valuesOf(vocabulary).map((value) => [value, value])) as EnumType<Value>;
  registerEnumType(type as EnumType<string>, {
    name,
    description,
    valuesConfig: Object.fromEntries(Object.entries(values).map(([value, text]) => [value, { description: text }])),
  });
  registeredTypes.set(name, type as EnumType<string>);
  return type;
}
