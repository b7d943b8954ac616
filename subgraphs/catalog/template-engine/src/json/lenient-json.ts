import type { JsonObject, JsonValue } from "./json-value.js";

/*
 * The syntax beyond JSON that .NET SDKs up to 10 accept in template.json: names without quotes, single quotes,
 * hexadecimal numbers, line ends in texts, comments, trailing commas and any text after the document.
 */

const maxDepth = 200;

class Unreadable extends Error {}

/** The object that a text starts with; undefined when the lenient syntax does not match either. */
export function readLenientObject(text: string): JsonObject | undefined {
  try {
    return new Reader(text.replace(/^\ufeff/, "")).document();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

const namePattern = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}$]+/uy;
const blankPattern = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*)+/y;
const hexadecimalPattern = /-?0x[0-9a-f]{1,13}(?![\w.])/iy;
const decimalPattern = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![\w.])/iy;

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonObject {
    this.#blanks();
    return this.#object(0);
  }

  #object(depth: number): JsonObject {
    this.#take("{");
    const result: Record<string, JsonValue> = {};
    for (;;) {
      this.#blanks();
      if (this.#skips("}")) return result;
      const name = this.#name();
      this.#blanks();
      this.#take(":");
      const value = this.#value(depth + 1);
      Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
      this.#separator("}");
    }
  }

  #list(depth: number): JsonValue[] {
    this.#take("[");
    const result: JsonValue[] = [];
    for (;;) {
      this.#blanks();
      if (this.#skips("]")) return result;
      result.push(this.#value(depth + 1));
      this.#separator("]");
    }
  }

  #separator(end: string): void {
    this.#blanks();
    if (!this.#skips(",") && this.#text.charAt(this.#at) !== end) throw new Unreadable();
  }

  #name(): string {
    const first = this.#text.charAt(this.#at);
    return first === '"' || first === "'" ? this.#quoted() : this.#match(namePattern);
  }

  #value(depth: number): JsonValue {
    if (depth > maxDepth) throw new Unreadable();
    this.#blanks();
    switch (this.#text.charAt(this.#at)) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#list(depth);
      case '"':
      case "'":
        return this.#quoted();
      default:
        return this.#scalar();
    }
  }

  #scalar(): JsonValue {
    hexadecimalPattern.lastIndex = this.#at;
    if (hexadecimalPattern.test(this.#text)) return Number(this.#match(hexadecimalPattern));
    decimalPattern.lastIndex = this.#at;
    if (decimalPattern.test(this.#text)) return Number(this.#match(decimalPattern));
    switch (this.#match(namePattern)) {
      case "true":
        return true;
      case "false":
        return false;
      case "null":
      case "undefined":
        return null;
      default:
        throw new Unreadable();
    }
  }

  #quoted(): string {
    const quote = this.#text.charAt(this.#at++);
    let out = "";
    for (;;) {
      const character = this.#text.charAt(this.#at++);
      if (character === "") throw new Unreadable();
      if (character === quote) return out;
      out += character === "\\" ? this.#escaped() : character;
    }
  }

  #escaped(): string {
    const character = this.#text.charAt(this.#at++);
    if (character === "u") {
      const digits = this.#text.slice(this.#at, this.#at + 4);
      if (!/^[0-9a-f]{4}$/i.test(digits)) throw new Unreadable();
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (/["'\\/]/.test(character)) return character;
    const replacement = escapes[character];
    if (replacement === undefined) throw new Unreadable();
    return replacement;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    if (match === undefined) throw new Unreadable();
    this.#at += match.length;
    return match;
  }

  #blanks(): void {
    blankPattern.lastIndex = this.#at;
    this.#at += blankPattern.exec(this.#text)?.[0].length ?? 0;
  }

  #skips(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false;
    this.#at++;
    return true;
  }

  #take(character: string): void {
    if (!this.#skips(character)) throw new Unreadable();
  }
}
