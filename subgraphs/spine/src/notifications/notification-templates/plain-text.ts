/** Characters that change the direction of the text after them. A value could turn the sentence around it with them. */
const directions = "\\u061C\\u202A-\\u202E\\u2066-\\u2069";

const layout = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}${directions}]+`, "gu");
const layoutOfLine = new RegExp(`[\\p{Zl}\\p{Zp}${directions}]|[^\\P{Cc}\\n]`, "gu");

/**
 * The value as one line of plain text: line breaks and control characters become spaces, so that a value begins neither
 * a line nor a paragraph nor a separate header.
 */
export const plainText = (value: string): string => wellFormed(value).replaceAll(layout, " ");

/** A text with several lines, without other control characters. */
export const plainLines = (text: string): string =>
  wellFormed(text).replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll(layoutOfLine, " ");

/** The text, or its beginning with an ellipsis where it is longer. No character with two units is cut. */
export const beginning = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;

/** Half a character with two units cannot be encoded. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, "\uFFFD");
