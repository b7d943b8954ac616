/** A JSON text's depth, read before it is parsed: work on a deep value could exceed the stack. */
export function levelsOf(text: string): number {
  let [level, deepest, inString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\" && inString) at += 1;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++level);
    else if (character === "}" || character === "]") level -= 1;
  }
  return deepest;
}
