import type { JsonObject, JsonValue } from "./json-value.js";

/*
 * What .NET SDKs up to 10 accept as template.json beyond JSON: names without quotes, single quotes, hexadecimal
 * numbers, raw line ends in texts, comments, trailing commas and whatever stands behind the document.
 */

const MAX_DEPTH = 200;

class Unreadable extends Error {}

/** The object that a text begins with, or undefined when even the lenient reading fails. */
export function readLenientObject(text: string): JsonObject | undefined {
  try {
    return new Reader(text.replace(/^\ufeff/, "")).document();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

const NAME = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}$]+/uy;
const BLANK = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*)+/y;
const HEXADECIMAL = /-?0x[0-9a-f]{1,13}(?![\w.])/iy;
const DECIMAL = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![\w.])/iy;

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): JsonObject {
    this.blanks();
    return this.object(0);
  }

  private object(depth: number): JsonObject {
    this.take("{");
    const result: Record<string, JsonValue> = {};
    for (;;) {
      this.blanks();
      if (this.skips("}")) return result;
      const name = this.name();
      this.blanks();
      this.take(":");
      const value = this.value(depth + 1);
      Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
      this.separator("}");
    }
  }

  private list(depth: number): JsonValue[] {
    this.take("[");
    const result: JsonValue[] = [];
    for (;;) {
      this.blanks();
      if (this.skips("]")) return result;
      result.push(this.value(depth + 1));
      this.separator("]");
    }
  }

  private separator(end: string): void {
    this.blanks();
    if (!this.skips(",") && this.text.charAt(this.at) !== end) throw new Unreadable();
  }

  private name(): string {
    const first = this.text.charAt(this.at);
    return first === '"' || first === "'" ? this.quoted() : this.match(NAME);
  }

  private value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new Unreadable();
    this.blanks();
    switch (this.text.charAt(this.at)) {
      case "{":
        return this.object(depth);
      case "[":
        return this.list(depth);
      case '"':
      case "'":
        return this.quoted();
      default:
        return this.scalar();
    }
  }

  private scalar(): JsonValue {
    HEXADECIMAL.lastIndex = this.at;
    if (HEXADECIMAL.test(this.text)) return Number(this.match(HEXADECIMAL));
    DECIMAL.lastIndex = this.at;
    if (DECIMAL.test(this.text)) return Number(this.match(DECIMAL));
    switch (this.match(NAME)) {
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

  private quoted(): string {
    const quote = this.text.charAt(this.at++);
    let out = "";
    for (;;) {
      const character = this.text.charAt(this.at++);
      if (character === "") throw new Unreadable();
      if (character === quote) return out;
      out += character === "\\" ? this.escaped() : character;
    }
  }

  private escaped(): string {
    const character = this.text.charAt(this.at++);
    if (character === "u") {
      const digits = this.text.slice(this.at, this.at + 4);
      if (!/^[0-9a-f]{4}$/i.test(digits)) throw new Unreadable();
      this.at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (/["'\\/]/.test(character)) return character;
    const known = ESCAPES[character];
    if (known === undefined) throw new Unreadable();
    return known;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) throw new Unreadable();
    this.at += found.length;
    return found;
  }

  private blanks(): void {
    BLANK.lastIndex = this.at;
    this.at += BLANK.exec(this.text)?.[0].length ?? 0;
  }

  private skips(character: string): boolean {
    if (this.text.charAt(this.at) !== character) return false;
    this.at++;
    return true;
  }

  private take(character: string): void {
    if (!this.skips(character)) throw new Unreadable();
  }
}
