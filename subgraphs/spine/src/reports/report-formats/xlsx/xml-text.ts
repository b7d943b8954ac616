/** The most characters (UTF-16 units) in a cell, by the Excel limits. A longer cell makes a file that Excel repairs. */
const maxCellLength = 32_767;

const special = /[&<>"]|_(?=x[0-9A-Fa-f]{4}_)|[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const specials = new RegExp(special, "gu");

/**
 * A text for XML 1.0 in the form ST_Xstring (ECMA-376 part 1, 22.9.2.19): characters that XML cannot hold, and carriage
 * returns, which it changes, are written as `_xHHHH_`. A longer text is cut and ends with an ellipsis.
 */
export function xmlText(text: string): string {
  const cellText = text.length > maxCellLength ? cut(text) : text;
  return special.test(cellText) ? cellText.replace(specials, escape) : cellText;
}

function cut(text: string): string {
  const beginning = text.slice(0, maxCellLength - 1);
  return `${/[\uD800-\uDBFF]$/.test(beginning) ? beginning.slice(0, -1) : beginning}…`;
}

function escape(character: string): string {
  switch (character) {
    case "&":
      return "&amp;";
    case "<":
      return "&lt;";
    case ">":
      return "&gt;";
    case '"':
      return "&quot;";
  }
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
}
