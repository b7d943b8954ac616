/*
 * Upper and lower case in .NET's invariant culture: Unicode's simple case mapping, in which a text keeps its
 * length. JavaScript maps some letters to several, for example ß to SS.
 */

const dotlessI = "\u0131";
const longS = "\u017f";
const dottedCapitalI = "\u0130";

/** As String.ToLowerInvariant in .NET. */
export function lower(text: string): string {
  return mapped(text, (character) => (character === dottedCapitalI ? character : character.toLowerCase()));
}

/** As String.ToUpperInvariant in .NET. */
export function upper(text: string): string {
  return mapped(text, upperCharacter);
}

/** Equality by .NET's StringComparison.OrdinalIgnoreCase, in which the long s differs from S. */
export function sameText(left: string, right: string): boolean {
  return left === right || (left.length === right.length && ordinalKey(left) === ordinalKey(right));
}

/** Compares by StringComparison.OrdinalIgnoreCase: negative, zero or positive. */
export function compareTexts(left: string, right: string): number {
  const x = ordinalKey(left);
  const y = ordinalKey(right);
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

/** The form in which texts are equal by StringComparison.OrdinalIgnoreCase. It is as long as the text. */
export function ordinalKey(text: string): string {
  return mapped(text, (character) => (character === longS ? character : upperCharacter(character)));
}

function upperCharacter(character: string): string {
  if (character === dotlessI) return character;
  const capital = character.toUpperCase();
  return capital.length === character.length ? capital : (titleLetters.get(character) ?? character);
}

/** Greek letters with iota subscript: the full mapping to upper case gives several characters, the simple one gives one. */
const titleLetters: ReadonlyMap<string, string> = new Map(
  [
    ...[0x1f80, 0x1f90, 0x1fa0].flatMap((start) => Array.from({ length: 8 }, (_, at) => [start + at, start + at + 8])),
    ...[0x1fb3, 0x1fc3, 0x1ff3].map((letter) => [letter, letter + 9]),
  ].map((pair): [string, string] => [String.fromCharCode(pair[0] ?? 0), String.fromCharCode(pair[1] ?? 0)]),
);

function mapped(text: string, change: (character: string) => string): string {
  let result = "";
  for (const character of text) {
    const replacement = change(character);
    result += replacement.length === character.length ? replacement : character;
  }
  return result;
}
