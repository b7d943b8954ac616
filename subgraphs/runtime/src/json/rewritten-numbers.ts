import { isPartOfNumber } from "./json-reader.js";

/** JavaScript always keeps so many digits. */
const safeDigits = 15;
const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const isDigit = (code: number) => code >= zero && code <= 0x39;

/** Whether JavaScript writes a JSON number in another way: `JSON.stringify` does so as `String`, if it is finite. */
export const isRewritten = (text: string): boolean =>
  !isOrdinary(text, 0, text.length) && String(Number(text)) !== text;

/**
 * Whether the number at a place in a text is surely kept: it has at most 15 digits and no exponent, its fraction does
 * not end with a zero, and it is not very small and no negative zero.
 */
function isOrdinary(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === minus ? start + 1 : start;
  if (end - first > safeDigits + 1) return false;
  let pointAt = -1;
  for (let at = first; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) continue;
    if (code !== point) return false;
    pointAt = at;
  }
  if (pointAt === -1) return end - first <= safeDigits && (first === start || text.charCodeAt(first) !== zero);
  return (
    text.charCodeAt(end - 1) !== zero && (text.charCodeAt(first) !== zero || text.charCodeAt(pointAt + 1) !== zero)
  );
}

/** Whether JavaScript would change a number's text in this valid JSON. */
export function rewritesNumber(text: string): boolean {
  const search = new RewrittenSearch(text);
  search.read();
  return search.found;
}

const numbersTogether = 500;

/** Searches a valid JSON for a number whose text JavaScript would change. */
export class RewrittenSearch {
  readonly #text: string;
  /** Numbers that may be rewritten. To write many together takes a quarter as long. */
  #unsure: string[] = [];
  #at = 0;
  #found = false;

  constructor(text: string) {
    this.#text = text;
  }

  get found(): boolean {
    return this.#found;
  }

  /** Reads about so many characters. Returns whether the search is over. */
  read(count = this.#text.length): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + count);
    let at = this.#at;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) at = endOfText(text, at);
      else if (code === minus || isDigit(code)) {
        const start = at;
        while (isDigit(text.charCodeAt(at + 1))) at++;
        const isWhole = code !== minus && !isPartOfNumber(text.charCodeAt(at + 1));
        if (isWhole && at - start < safeDigits) continue;
        while (isPartOfNumber(text.charCodeAt(at + 1))) at++;
        if (!isOrdinary(text, start, at + 1)) this.#unsure.push(text.slice(start, at + 1));
        if (this.#unsure.length === numbersTogether) this.#check();
        if (this.#found) return true;
      }
    }
    this.#at = at;
    if (at < text.length) return false;
    this.#check();
    return true;
  }

  #check(): void {
    if (this.#unsure.length === 0) return;
    const text = `[${this.#unsure.join(",")}]`;
    this.#unsure = [];
    this.#found = JSON.stringify(JSON.parse(text)) !== text;
  }
}

/** Where the quote stands that ends a text in valid JSON. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 1;
}
