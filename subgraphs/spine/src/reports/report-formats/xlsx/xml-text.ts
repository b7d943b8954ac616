/** The most characters (UTF-16 units) of a cell, by the limits of Excel. A longer cell makes a file that it repairs. */
const maxCellLength = 32_767;

const special = /[&<>"]|_(?=x[0-9A-Fa-f]{4}_)|[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const specials = new RegExp(special, "gu");

/**
 * A text for XML 1.0 in the form of ST_Xstring (ECMA-376 part 1, 22.9.2.19): characters that XML cannot hold, and
 * carriage returns, which it changes, are written as `_xHHHH_`. A longer text is cut and ends with an ellipsis.
 */
export function xmlText(text: string): string {
  const kept = text.length > maxCellLength ? cut(text) : text;
  return special.test(kept) ? kept.replace(specials, escape) : kept;
}

function cut(text: string): string {
  const kept = text.slice(0, maxCellLength - 1);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
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
