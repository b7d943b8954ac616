import type { GraphQLError } from "graphql";

const builtIn = String.raw`(?!\[*(?:Int|Float|String|Boolean|ID)\b)`;
const type = String.raw`"${builtIn}[^"]+"`;

/** The graphql-js 16 phrases that name schema parts, and their replacements without the names. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/ ?Did you mean .+\?$/, ""],
  [/ Did you mean .+\?(?=;| at )/, ""],
  [new RegExp(`(\\$\\w+") of (?:required |non-null )?type ${type}`, "g"), "$1"],
  [new RegExp(` used in position expecting type ${type}`, "g"), " does not fit its position"],
  [
    new RegExp(` is of type ${type} but must be non-nullable to be used for OneOf Input Object ${type}`, "g"),
    " must be non-nullable here",
  ],
  [
    / cannot be spread here as objects of type "[^"]+" can never be of type "[^"]+"/g,
    " cannot be spread here: its type does not fit",
  ],
  [/ they return conflicting types "[^"]+" and "[^"]+"/g, " they return conflicting types"],
  [new RegExp(` since type ${type} has no subfields`, "g"), " since it has no subfields"],
  [/ since type "[^"]+" has no subfields/g, " since it has no subfields"],
  [/ on type "[^"]+"/g, ""],
  [new RegExp(` of (?:required |non-null )?type ${type}`, "g"), ""],
  [/ is not defined by type "[^"]+"/g, " is not defined"],
  [new RegExp(`Expected (?:value of type|non-nullable type|type) ${type} to be an object`, "g"), "Expected an object"],
  [new RegExp(`Expected non-nullable type ${type} not to be null`, "g"), "Expected a value other than null"],
  [new RegExp(`Expected value of type ${type}, found`, "g"), "Expected another value, found"],
  [new RegExp(`Expected type ${type}`, "g"), "Expected another value"],
  [/ does not exist in "[^"]+" enum/g, " does not exist in the enum"],
  [/Enum "[^"]+" cannot/g, "The enum cannot"],
  [/OneOf Input Object "[^"]+"/g, "The input object"],
  [/for OneOf type "[^"]+"/g, "for the input object"],
  [/ non-nullable field [\w.]+\.(\w+)/g, ' non-nullable field "$1"'],
  [/ (found for|for object at) field \w+\.(\w+)/g, ' $1 field "$2"'],
  [/ array element of type \S+( at index \d+)?\.$/g, " array element$1."],
  [/"(?!\$|@)_{0,2}[A-Za-z]\w*\.(\w+)(\([^"]*\))?"/g, '"$1"'],
];

/**
 * Removes type names from the extension `valueCompletion`, which reports nulls that the schema forbids. Returns
 * undefined when this extension is absent.
 */
export function withoutSchemaDetails(
  extensions: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | undefined {
  const completionErrors = extensions?.["valueCompletion"];
  if (!Array.isArray(completionErrors)) return undefined;
  const valueCompletion = (completionErrors as GraphQLError[]).map((error) => {
    const { message, ...rest } = error.toJSON();
    return { message: withoutSchemaNames(message), ...rest };
  });
  return { ...extensions, valueCompletion };
}

/** Removes type names, and fields that the caller did not name, from a graphql-js message. */
export function withoutSchemaNames(message: string): string {
  return phrases.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
}
