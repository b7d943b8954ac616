/* Translates .NET patterns to JavaScript: character classes, anchors, inline options and atomic groups. */

const wordCharacters = "\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}";

// white space in .NET: without the byte order mark and with the next-line character, unlike JavaScript
const spaceCharacters = "\\f\\n\\r\\t\\v\\u0085\\p{Z}";

const simpleEscapes: Readonly<Record<string, string>> = {
  A: "(?<![\\s\\S])",
  z: "(?![\\s\\S])",
  Z: "(?=\\n?(?![\\s\\S]))",
  a: "\\u0007",
  e: "\\u001b",
  b: `(?:(?<=[${wordCharacters}])(?![${wordCharacters}])|(?<![${wordCharacters}])(?=[${wordCharacters}]))`,
  B: `(?:(?<=[${wordCharacters}])(?=[${wordCharacters}])|(?<![${wordCharacters}])(?![${wordCharacters}]))`,
  w: `[${wordCharacters}]`,
  W: `[^${wordCharacters}]`,
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  s: `[${spaceCharacters}]`,
  S: `[^${spaceCharacters}]`,
};

const classEscapes: Readonly<Record<string, string>> = {
  w: wordCharacters,
  s: spaceCharacters,
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  a: "\\u0007",
  e: "\\u001b",
  b: "\\b",
};

// these cannot be inside a class in JavaScript, so they become a class beside it
const negatedClassEscapes: Readonly<Record<string, string>> = { W: `[^${wordCharacters}]`, S: `[^${spaceCharacters}]` };

// the characters that the u flag allows after a backslash
const syntaxCharacters = /[\^$\\.*+?()[\]{}|/]/;

interface PatternOptions {
  ignoreCase: boolean;
  lines: boolean;
  dotIsAny: boolean;
  /** Whether white space and `#` comments are ignored. */
  spaced: boolean;
}

const optionLetters: Readonly<Record<string, keyof PatternOptions | undefined>> = {
  i: "ignoreCase",
  m: "lines",
  s: "dotIsAny",
  x: "spaced",
};

interface Group {
  readonly options: PatternOptions;
  /** The option groups that are open in this group; they are opened again after each `|`. */
  readonly opened: readonly string[];
  readonly close: string;
}

/** The name prefix for the groups that replace atomic groups. */
export const atomicPrefix = "atomic_";

/** The pattern in JavaScript syntax for the `u` flag. Throws a SyntaxError for syntax that JavaScript cannot express. */
export function translatePattern(pattern: string, options: PatternOptions): string {
  return new Translation(pattern, options).text();
}

class Translation {
  readonly #outer: Group[] = [];
  #group: Group;
  #atomics = 0;
  #at = 0;
  #out = "";
  readonly #pattern: string;

  constructor(pattern: string, options: PatternOptions) {
    this.#pattern = pattern;
    this.#group = { options, opened: [], close: ")" };
  }

  text(): string {
    while (this.#at < this.#pattern.length) {
      const length = skippedAt(this.#pattern, this.#at, this.#group.options.spaced);
      if (length > 0) this.#at += length;
      else this.#item(this.#pattern.charAt(this.#at));
    }
    return this.#out + ")".repeat(this.#group.opened.length);
  }

  #item(character: string): void {
    const [pattern, at, group] = [this.#pattern, this.#at, this.#group];
    switch (character) {
      case "\\":
        return this.#write(escape(pattern.charAt(at + 1), false), at + 2);
      case "[": {
        const { text, end } = translateClass(pattern, at + 1);
        return this.#write(text, end);
      }
      case "(":
        return this.#open();
      case "|":
        return this.#write(`${")".repeat(group.opened.length)}|${group.opened.join("")}`, at + 1);
      case ")":
        this.#group = this.#outer.pop() ?? { ...group, opened: [] };
        return this.#write(`${")".repeat(group.opened.length)}${group.close}`, at + 1);
      default:
        return this.#write(plain(pattern, at, group.options), at + 1);
    }
  }

  #open(): void {
    const [pattern, at, group] = [this.#pattern, this.#at, this.#group];
    const inline = inlineOptions(pattern, at, group.options);
    if (inline !== null) {
      if (inline.scoped) this.#enter(inline.options);
      else this.#group = { ...group, options: inline.options, opened: [...group.opened, inline.open] };
      return this.#write(inline.open, inline.end);
    }
    if (pattern.startsWith("(?>", at)) {
      // a look-ahead does not backtrack, so a back reference to its group is atomic
      const name = `${atomicPrefix}${this.#atomics++}`;
      this.#enter(group.options, `))\\k<${name}>)`);
      return this.#write(`(?:(?=(?<${name}>`, at + 3);
    }
    this.#enter(group.options);
    const nameEnd = pattern.startsWith("(?'", at) ? pattern.indexOf("'", at + 3) : -1;
    if (nameEnd > 0) return this.#write(`(?<${pattern.slice(at + 3, nameEnd)}>`, nameEnd + 1);
    groupStart.lastIndex = at;
    const head = groupStart.exec(pattern)?.[0] ?? "(";
    this.#write(head, at + head.length);
  }

  #enter(options: PatternOptions, close = ")"): void {
    this.#outer.push(this.#group);
    this.#group = { options, opened: [], close };
  }

  #write(text: string, end: number): void {
    this.#out += text;
    this.#at = end;
  }
}

// the beginnings of a group
const groupStart = /\((?:\?(?:<?[=!]|:|<[^>]*>)?)?/y;

/** The length of the comment or ignored white space at this position. */
function skippedAt(pattern: string, at: number, ignoresSpace: boolean): number {
  if (pattern.startsWith("(?#", at)) {
    const end = pattern.indexOf(")", at);
    return end < 0 ? 0 : end + 1 - at;
  }
  if (!ignoresSpace) return 0;
  const character = pattern.charAt(at);
  if (character !== "#") return /\s/.test(character) ? 1 : 0;
  const end = pattern.indexOf("\n", at);
  return (end < 0 ? pattern.length : end + 1) - at;
}

/** Inline options: `(?i)` up to its group's end, or `(?i:` as its own group. */
function inlineOptions(pattern: string, at: number, now: PatternOptions) {
  const match = /^\(\?([imnsx]*)(?:-([imnsx]*))?([:)])/.exec(pattern.slice(at, at + 16));
  if (match === null || match[0] === "(?:" || match[0] === "(?)") return null;
  const [text, on = "", off = "", last] = match;
  const options = { ...now };
  const set = (letters: string, value: boolean) => {
    for (const letter of letters) {
      const option = optionLetters[letter];
      if (option !== undefined) options[option] = value;
    }
  };
  set(on, true);
  set(off, false);
  const open = options.ignoreCase === now.ignoreCase ? "(?:" : options.ignoreCase ? "(?i:" : "(?-i:";
  return { options, open, scoped: last === ":", end: at + text.length };
}

/** A character outside classes; the `u` flag requires an escape for some that .NET takes literally. */
function plain(pattern: string, at: number, { lines, dotIsAny }: PatternOptions): string {
  const character = pattern.charAt(at);
  switch (character) {
    case "$":
      return lines ? "(?![^\\n])" : (simpleEscapes["Z"] ?? "$");
    case "^":
      return lines ? "(?<![^\\n])" : "^";
    case ".":
      // in .NET only a line feed ends a line
      return dotIsAny ? "[\\s\\S]" : "[^\\n]";
    case "{":
      return /^\{\d+(?:,\d*)?\}/.test(pattern.slice(at, at + 24)) ? "{" : "\\{";
    case "}":
      return /\{\d+(?:,\d*)?$/.test(pattern.slice(Math.max(0, at - 24), at)) ? "}" : "\\}";
    case "]":
      return "\\]";
    default:
      return character;
  }
}

interface ClassParts {
  negated: boolean;
  members: string;
  /** Negated shorthands such as `\W`, which cannot be inside this class in JavaScript. */
  beside: string[];
  /** Class subtraction: `[a-z-[aeiou]]` is the outer class without the inner one. */
  without: string | null;
}

function translateClass(pattern: string, start: number): { text: string; end: number } {
  const { parts, end } = readClass(pattern, start);
  // an unclosed class is refused like any other syntax error
  if (parts === null) return { text: "[", end };
  const { negated, members, beside, without } = parts;
  let text = `[${negated ? "^" : ""}${members}]`;
  if (beside.length > 0) {
    const any = [...(members === "" ? [] : [`[${members}]`]), ...beside].join("|");
    text = negated ? `(?:(?!${any})[\\s\\S])` : `(?:${any})`;
  }
  return { text: without === null ? text : `(?:(?!${without})${text})`, end };
}

function readClass(pattern: string, start: number): { parts: ClassParts | null; end: number } {
  const isNegated = pattern.charAt(start) === "^";
  const parts: ClassParts = { negated: isNegated, members: "", beside: [], without: null };
  const first = isNegated ? start + 1 : start;
  let i = first;
  for (; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === "\\") {
      const beside = negatedClassEscapes[pattern.charAt(i + 1)];
      if (beside === undefined) parts.members += escape(pattern.charAt(i + 1), true);
      else parts.beside.push(beside);
      i++;
    } else if (character === "]" && i > first) {
      return { parts, end: i + 1 };
    } else if (character === "-" && pattern.charAt(i + 1) === "[" && i > first) {
      const inner = translateClass(pattern, i + 2);
      parts.without = inner.text;
      i = inner.end - 1;
    } else {
      // a closing bracket at the start is a class member
      parts.members += character === "[" || character === "]" ? `\\${character}` : character;
    }
  }
  return { parts: null, end: i };
}

function escape(next: string, inClass: boolean): string {
  if (next === "") return "\\\\";
  const special = inClass ? classEscapes[next] : simpleEscapes[next];
  if (special !== undefined) return special;
  if (/[pPkxucnrtvfsS0-9]/.test(next) || syntaxCharacters.test(next)) return `\\${next}`;
  if (inClass && next === "-") return "\\-";
  // .NET takes any other escaped character literally
  return next === "-" || !/[a-z]/i.test(next) ? next : `\\${next}`;
}
