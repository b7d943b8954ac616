/** The graphql-js 16 phrases that repeat a caller's value, and their replacements without the value. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/^(Variable "\$\w+" got )invalid value [\s\S]+?((?: at "[^"]*")?; (?=[A-Z]))/, "$1invalid value$2"],
  [/ cannot represent ([^:]+): [\s\S]+$/, " cannot represent $1."],
  [/^(Expected value of type "[^"]+"), found [\s\S]+$/, "$1."],
  [/(^|; )Value "[\s\S]*" does not exist in /, "$1The value does not exist in "],
  [/^(Syntax Error: [\s\S]*?\b(?:String|BlockString|Int|Float)) "[\s\S]*"\.$/, "$1."],
];

/**
 * Removes the caller's values from a graphql-js message about a document or its variables. A value may be a secret, and
 * answers are logged by clients. The message still names the variable, the path and the type.
 */
export function withoutCallerValues(message: string): string {
  return phrases.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
}
