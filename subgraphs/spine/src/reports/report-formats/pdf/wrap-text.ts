import type { Face } from "./faces.js";

/** How a text is set. */
export interface TextStyle {
  readonly face: Face;
  /** In points, like every width. */
  readonly size: number;
}

/** A line without a space may end after these characters, which divide names, addresses and paths. */
const dividers = new Set("-_/.@:,;");

/**
 * Breaks a text into at most `maxLines` lines with a width, at spaces and dividers where it can. The last line ends
 * with an ellipsis when the text is longer. A line has at least one character, even if that one is wider.
 */
export function wrapText(text: string, { face, size }: TextStyle, width: number, maxLines: number): string[] {
  if (face.widthOf(text, size) <= width) return [text];
  const characters = Array.from(text);
  const lines: string[] = [];
  let start = 0;
  while (start < characters.length) {
    const end = fitting(characters, start, face, width / size);
    if (end === characters.length) {
      lines.push(characters.slice(start).join(""));
      break;
    }
    if (lines.length === maxLines - 1) {
      const cut = fitting(characters, start, face, width / size - face.widthOf("…", 1));
      lines.push(`${characters.slice(start, cut).join("").trimEnd()}…`);
      break;
    }
    const stop = breakBefore(characters, start, end);
    lines.push(characters.slice(start, stop).join("").trimEnd());
    start = stop;
    while (characters[start] === " ") start += 1;
  }
  return lines;
}

/** The last place to end a line that begins at `start` and has space up to `end`. */
function breakBefore(characters: readonly string[], start: number, end: number): number {
  const space = characters.lastIndexOf(" ", end);
  if (space > start) return space;
  for (let place = end; place > start; place -= 1) if (dividers.has(characters[place - 1] ?? "")) return place;
  return end;
}

/** The end of the longest part from `start` on that has at most this width. */
function fitting(characters: readonly string[], start: number, face: Face, width: number): number {
  let usedWidth = 0;
  let end = start;
  while (end < characters.length) {
    usedWidth += face.widthOf(characters[end] ?? "", 1);
    if (usedWidth > width) break;
    end += 1;
  }
  return Math.max(end, start + 1);
}
