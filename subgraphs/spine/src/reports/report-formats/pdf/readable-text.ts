import type { Face } from "./faces.js";

/** The most characters that a pdf shows from a text, replacement code points included. An ellipsis follows. */
export const maxTextLength = 300;

/** Control, format and ignorable characters, for example those that turn the writing direction, and surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Unicode blocks for right-to-left scripts: they need an order and forms that the pdf does not have. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * A text as a pdf shows it: bounded, in one line, and with nothing hidden. A character that is invisible, or that the
 * face cannot show, becomes U+FFFD and its code point, for example �1F680. A line break becomes ↵.
 */
export function readableText(text: string, face: Face): string {
  // a character has at most two UTF-16 units
  const start = text.slice(0, 2 * maxTextLength);
  let readable = "";
  for (const character of start.replace(/\r\n?/g, "\n").normalize("NFC")) {
    if (readable.length >= maxTextLength) return `${readable}…`;
    readable += shown(character, face);
  }
  return start.length < text.length ? `${readable}…` : readable;
}

function shown(character: string, face: Face): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint > 0x20 && codePoint < 0x7f) return character;
  if (character === "\n") return "↵";
  if (character === "\t" || /\p{Zs}/u.test(character)) return " ";
  // variation selectors choose between two forms of the character before them
  if (codePoint === 0xfe0e || codePoint === 0xfe0f) return "";
  if (face.has(codePoint) && !invisible.test(character) && !rightToLeft.test(character)) return character;
  return `\uFFFD${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}
