/** A closed list of values, from which the graph and OpenAPI make an enum. */
export interface Vocabulary<Value extends string = string> {
  /** The name of the GraphQL enum. */
  readonly name: string;
  readonly description: string;
  /** Each value with its description. */
  readonly values: Readonly<Record<Value, string>>;
}

/** A value of the vocabulary. */
export type ValueOf<Listed extends Vocabulary> = Extract<keyof Listed["values"], string>;

export const vocabulary = <Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
): Vocabulary<Value> => ({ name, description, values });

/** The values. */
export const valuesOf = <Value extends string>({ values }: Vocabulary<Value>): readonly Value[] =>
  Object.keys(values) as Value[];

/** Whether the vocabulary has this value. */
export const isValueOf = <Value extends string>({ values }: Vocabulary<Value>, value: unknown): value is Value =>
  typeof value === "string" && Object.hasOwn(values, value);
