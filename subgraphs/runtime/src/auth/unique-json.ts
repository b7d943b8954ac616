/** Parses JSON. Throws when a member name occurs twice in one object, because parsers disagree on which one counts. */
export function parseUniqueJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (repeatsMember(text)) throw new SyntaxError("a member name occurs twice");
  return value;
}

const stringOrBracket = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
const colonAhead = /\s*:/y;

/** Only for text that JSON.parse accepts: in such text a string before a colon is a member name. */
function repeatsMember(text: string): boolean {
  const open: Set<string>[] = [];
  for (const { 0: token, index } of text.matchAll(stringOrBracket)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else {
      colonAhead.lastIndex = index + token.length;
      if (!colonAhead.test(text)) continue;
      const name = JSON.parse(token) as string;
      const names = open.at(-1);
      if (names?.has(name)) return true;
      names?.add(name);
    }
  }
  return false;
}
