/** The quoted texts in a piece of SQL, and everything between them. */
const pieces = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[^'"]+/g;
const quotePattern = /^['"]/;

/**
 * The server's SQL as a person would write it: keywords and types in their short lower case form, `in`, and no literals
 * cast to text.
 */
export function plainSql(text: string): string {
  const lower = (text.match(pieces) ?? [])
    .map((piece) => (quotePattern.test(piece) ? piece : piece.toLowerCase()))
    .join("");
  return lower
    .replace(/('(?:[^']|'')*')::text\b(?!\[)/g, "$1")
    .replace(/\((\w+) = any \(array\[((?:'[^']*'(?:, )?)+)\]\)\)/g, "($1 in ($2))")
    .replace(/\((\w+) <> all \(array\[((?:'[^']*'(?:, )?)+)\]\)\)/g, "($1 not in ($2))")
    .replace(/timestamp(\(\d\))? with time zone/g, "timestamptz$1")
    .replace(/\binteger\b/g, "int")
    .replace(/\((nullif\(current_setting\([^()]*\), ''\))\)::/g, "$1::");
}

/** A condition without parentheses around it and around the operands of `and` and `or`. */
export function plainCondition(text: string): string {
  return withoutParentheses(plainSql(text));
}

function withoutParentheses(condition: string): string {
  const inner = unwrapped(condition);
  for (const operator of [" or ", " and "]) {
    const operands = splitAt(inner, operator);
    if (operands.length > 1)
      return operands
        .map((operand) => {
          const plain = withoutParentheses(operand);
          return [" or ", " and "].some((other) => splitAt(plain, other).length > 1) ? `(${plain})` : plain;
        })
        .join(operator);
  }
  return inner;
}

/** The text without the parentheses that surround it as a whole, however many pairs there are. */
function unwrapped(text: string): string {
  if (!text.startsWith("(") || closing(text, 0) !== text.length - 1) return text;
  return unwrapped(text.slice(1, -1));
}

function splitAt(text: string, operator: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") at = closing(text, at);
    else if (text[at] === "'") at = text.indexOf("'", at + 1);
    else if (text.startsWith(operator, at)) {
      parts.push(text.slice(begin, at));
      begin = at + operator.length;
    }
  }
  return [...parts, text.slice(begin)];
}

/** Where the parenthesis stands that closes the one at `open`. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === "'") at = text.indexOf("'", at + 1);
    else if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`A parenthesis is open: ${text}`);
}
