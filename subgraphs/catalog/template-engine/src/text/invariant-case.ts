/*
 * Upper and lower case as .NET writes them without a culture: each character becomes one character (Unicode's simple
 * mapping), so that no text changes its length. JavaScript also maps one letter to several, as in STRASSE.
 */

const dotlessI = "\u0131";
const longS = "\u017f";
const dottedCapitalI = "\u0130";

/** Like String.ToLowerInvariant. */
export function lower(text: string): string {
  return mapped(text, (character) => (character === dottedCapitalI ? character : character.toLowerCase()));
}

/** Like String.ToUpperInvariant. */
export function upper(text: string): string {
  return mapped(text, upperCharacter);
}

/** Equal as StringComparison.OrdinalIgnoreCase sees it, which takes the long s for no form of S. */
export function sameText(left: string, right: string): boolean {
  return left === right || (left.length === right.length && ordinalKey(left) === ordinalKey(right));
}

/** Negative, zero or positive in the order of StringComparison.OrdinalIgnoreCase. */
export function compareTexts(left: string, right: string): number {
  const x = ordinalKey(left);
  const y = ordinalKey(right);
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

function ordinalKey(text: string): string {
  return mapped(text, (character) => (character === longS ? character : upperCharacter(character)));
}

function upperCharacter(character: string): string {
  if (character === dotlessI) return character;
  const changed = character.toUpperCase();
  return changed.length === character.length ? changed : (titleLetters.get(character) ?? character);
}

/** Greek letters with iota subscript: several characters in full capitals, one in the simple mapping. */
const titleLetters: ReadonlyMap<string, string> = new Map(
  [
    ...[0x1f80, 0x1f90, 0x1fa0].flatMap((start) => Array.from({ length: 8 }, (_, at) => [start + at, start + at + 8])),
    ...[0x1fb3, 0x1fc3, 0x1ff3].map((letter) => [letter, letter + 9]),
  ].map((pair): [string, string] => [String.fromCharCode(pair[0] ?? 0), String.fromCharCode(pair[1] ?? 0)]),
);

function mapped(text: string, change: (character: string) => string): string {
  let result = "";
  for (const character of text) {
    const changed = change(character);
    result += changed.length === character.length ? changed : character;
  }
  return result;
}
