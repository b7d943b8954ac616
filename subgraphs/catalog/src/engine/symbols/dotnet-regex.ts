/*
 * Regular expressions of templates are written for .NET: its classes are Unicode, `$` also stands before a final line
 * feed, options and named groups are spelled differently, and replacements know `${name}`.
 */

const WORD = "\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}";

// .NET's white space: unlike here the byte order mark is none, and the next-line character is one
const SPACE = "\\f\\n\\r\\t\\v\\u0085\\p{Z}";

export interface DotnetRegex {
  /** With the `g` and `u` flags. */
  readonly regex: RegExp;
  /** Where JavaScript keeps the group that .NET numbers one higher than the place in this list. */
  readonly groupOrder: readonly number[];
}

const cache = new Map<string, DotnetRegex | null>();
const CACHE_LIMIT = 500;

/** The expression, or null when it cannot be expressed here. */
export function dotnetRegex(pattern: string): DotnetRegex | null {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const compiled = compile(pattern);
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): DotnetRegex | null {
  let flags = "gu";
  let body = pattern;
  const leading = /^\(\?([imsn]+)\)/.exec(pattern);
  if (leading !== null) {
    for (const option of leading[1] ?? "") if (option !== "n" && !flags.includes(option)) flags += option;
    body = pattern.slice(leading[0].length);
  }
  try {
    const source = translate(body, { lines: flags.includes("m"), dotIsAny: flags.includes("s") });
    return { regex: new RegExp(source, flags.replace("m", "")), groupOrder: groupOrder(source) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** .NET numbers unnamed groups first, then the named ones. */
function groupOrder(source: string): number[] {
  const bare = source.replace(/\\[\s\S]/g, "__").replace(/\[[^\]]*\]/g, "_");
  const unnamed: number[] = [];
  const named: number[] = [];
  let index = 0;
  for (const [open] of bare.matchAll(/\((?:\?(?:<(?![=!]))?)?/g)) {
    if (open === "(?") continue;
    index++;
    (open === "(" ? unnamed : named).push(index);
  }
  return [...unnamed, ...named];
}

const SIMPLE: Readonly<Record<string, string>> = {
  A: "(?<![\\s\\S])",
  z: "(?![\\s\\S])",
  Z: "(?=\\n?(?![\\s\\S]))",
  a: "\\u0007",
  e: "\\u001b",
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  s: `[${SPACE}]`,
  S: `[^${SPACE}]`,
};

const IN_CLASS: Readonly<Record<string, string>> = {
  w: WORD,
  s: SPACE,
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  a: "\\u0007",
  e: "\\u001b",
  b: "\\b",
};

// a class within a class, which has to stand beside it
const NEGATED_IN_CLASS: Readonly<Record<string, string>> = { W: `[^${WORD}]`, S: `[^${SPACE}]` };

// characters that the u flag allows behind a backslash
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;

interface Options {
  lines: boolean;
  dotIsAny: boolean;
}

function translate(pattern: string, options: Options): string {
  let out = "";
  let i = 0;
  while (i < pattern.length) {
    const character = pattern.charAt(i);
    if (character === "\\") {
      out += escape(pattern.charAt(i + 1), false);
      i += 2;
    } else if (character === "[") {
      const { text, end } = translateClass(pattern, i + 1);
      out += text;
      i = end;
    } else if (pattern.startsWith("(?'", i) && pattern.includes("'", i + 3)) {
      const end = pattern.indexOf("'", i + 3);
      out += `(?<${pattern.slice(i + 3, end)}>`;
      i = end + 1;
    } else {
      out += plain(pattern, i, options);
      i++;
    }
  }
  return out;
}

/** A character outside classes; what .NET reads as itself is escaped for the `u` flag. */
function plain(pattern: string, at: number, { lines, dotIsAny }: Options): string {
  const character = pattern.charAt(at);
  switch (character) {
    case "$":
      return lines ? "(?![^\\n])" : (SIMPLE["Z"] ?? "$");
    case "^":
      return lines ? "(?<![^\\n])" : "^";
    case ".":
      // only a line feed ends a line in .NET
      return dotIsAny ? "." : "[^\\n]";
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
  /** Negated shorthands such as `\W`, which cannot stand inside a class here. */
  beside: string[];
  /** `[a-z-[aeiou]]` takes the inner class away from the outer one. */
  without: string | null;
}

function translateClass(pattern: string, start: number): { text: string; end: number } {
  const { parts, end } = readClass(pattern, start);
  // without its end it is refused like any other broken expression
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
  const negated = pattern.charAt(start) === "^";
  const parts: ClassParts = { negated, members: "", beside: [], without: null };
  const first = negated ? start + 1 : start;
  let i = first;
  for (; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === "\\") {
      const beside = NEGATED_IN_CLASS[pattern.charAt(i + 1)];
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
      // a closing bracket that comes first is a member
      parts.members += character === "[" || character === "]" ? `\\${character}` : character;
    }
  }
  return { parts: null, end: i };
}

function escape(next: string, inClass: boolean): string {
  if (next === "") return "\\\\";
  const special = inClass ? IN_CLASS[next] : SIMPLE[next];
  if (special !== undefined) return special;
  if (/[pPkxucnrtvfsS0-9]/.test(next) || SYNTAX.test(next)) return `\\${next}`;
  if (inClass && next === "-") return "\\-";
  // .NET lets any other character stand for itself
  return next === "-" || !/[a-z]/i.test(next) ? next : `\\${next}`;
}

/** All matches replaced, with .NET's spelling of groups in the replacement. */
export function dotnetReplace(text: string, { regex, groupOrder: order }: DotnetRegex, replacement: string): string {
  return text.replace(regex, (...args: unknown[]) => {
    const groups = typeof args.at(-1) === "object" ? (args.pop() as Record<string, string | undefined>) : {};
    const whole = args.pop() as string;
    const offset = args.pop() as number;
    const captures = args as (string | undefined)[];
    const numbered = [captures[0], ...order.map((index) => captures[index])];
    return expand(replacement, numbered, groups, { whole, offset });
  });
}

function expand(
  replacement: string,
  captures: readonly (string | undefined)[],
  groups: Readonly<Record<string, string | undefined>>,
  place: { whole: string; offset: number },
): string {
  const matched = captures[0] ?? "";
  return replacement.replace(
    /\$(?:(\d+)|\{(\w+)\}|([$&`'+_]))/g,
    (sign, digits?: string, name?: string, mark?: string) => {
      const key = digits ?? name;
      if (key !== undefined) {
        if (Object.hasOwn(groups, key)) return groups[key] ?? "";
        const index = /^\d+$/.test(key) ? Number(key) : Number.NaN;
        return index < captures.length ? (captures[index] ?? "") : sign;
      }
      switch (mark) {
        case "$":
          return "$";
        case "&":
          return matched;
        case "`":
          return place.whole.slice(0, place.offset);
        case "'":
          return place.whole.slice(place.offset + matched.length);
        case "+":
          return captures.length > 1 ? (captures.at(-1) ?? "") : "";
        default:
          return place.whole;
      }
    },
  );
}
