import type { PreparedStatement } from "./transaction-dialect.js";

/** A prepared statement whose parameters have names. */
export interface NamedStatement extends PreparedStatement {
  /**
   * The values in the statement's order. Throws for a missing value, and for one that the statement has no name for.
   */
  readonly valuesOf: (named: Readonly<Record<string, unknown>>) => unknown[];
}

/** A parameter such as `$tenantId`, in the place where PostgreSQL wants `$1`. */
const parameter = /\$([a-z][A-Za-z0-9]*)/g;

/** A statement whose text has `$name` where PostgreSQL wants `$1`; its parameters are numbered from `first` on. */
export function namedStatement(name: string, text: string, first = 1): NamedStatement {
  const names: string[] = [];
  const numberedText = text.replace(parameter, (_, parameterName: string) => {
    if (!names.includes(parameterName)) names.push(parameterName);
    return `$${names.indexOf(parameterName) + first}`;
  });
  const takenNumbers = [...text.matchAll(/\$(\d+)/g)].filter(([, number]) => Number(number) >= first);
  if (names.length > 0 && takenNumbers.length > 0) throw new Error(`The statement ${name} has names and numbers.`);
  return {
    name,
    text: numberedText,
    valuesOf(valuesByName) {
      const values = names.map((parameterName) => valuesByName[parameterName]);
      if (values.includes(undefined) || Object.keys(valuesByName).length !== names.length)
        throw new Error(`The statement ${name} and its values differ in ${difference(names, valuesByName)}.`);
      return values;
    },
  };
}

const difference = (names: readonly string[], valuesByName: Readonly<Record<string, unknown>>): string =>
  [
    ...names.filter((parameterName) => valuesByName[parameterName] === undefined),
    ...Object.keys(valuesByName).filter((key) => !names.includes(key)),
  ].join(", ");
