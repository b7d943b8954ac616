import { atomicPrefix, translatePattern } from "./dotnet-pattern.js";

/*
 * Templates use .NET regular expressions: character classes are Unicode, `$` also matches before a final line
 * feed, options and named groups have another syntax, and replacements may contain `${name}`.
 */

export interface DotnetRegex {
  /** The JavaScript expression, with the flags `g` and `u`. */
  readonly regex: RegExp;
  /** Each group's JavaScript number; the .NET number is the index in this list plus one. */
  readonly groupOrder: readonly number[];
}

const cache = new Map<string, DotnetRegex | null>();
const maxCached = 500;

/** Translates a .NET pattern; null when it is invalid or JavaScript cannot express it. Results are cached. */
export function dotnetRegex(pattern: string): DotnetRegex | null {
  const memoized = cache.get(pattern);
  if (memoized !== undefined) return memoized;
  const expression = compile(pattern);
  if (cache.size >= maxCached) cache.clear();
  cache.set(pattern, expression);
  return expression;
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
    const options = { ignoreCase: flags.includes("i"), lines: flags.includes("m"), dotIsAny: flags.includes("s") };
    const source = translatePattern(body, { ...options, spaced: false });
    return { regex: new RegExp(source, flags.replace("m", "")), groupOrder: groupOrder(source) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** .NET numbers the unnamed groups first and then the named groups. */
function groupOrder(source: string): number[] {
  const bare = source.replace(/\\[\s\S]/g, "__").replace(/\[[^\]]*\]/g, "_");
  const withoutName: number[] = [];
  const withName: number[] = [];
  let index = 0;
  for (const [open, name] of bare.matchAll(/\((?:\?(?:<(?![=!])([^>]*))?)?/g)) {
    if (open === "(?") continue;
    index++;
    if (name?.startsWith(atomicPrefix)) continue;
    (open === "(" ? withoutName : withName).push(index);
  }
  return [...withoutName, ...withName];
}

/** Replaces all matches; groups in the replacement have .NET syntax. */
export function dotnetReplace(text: string, { regex, groupOrder: order }: DotnetRegex, replacement: string): string {
  return text.replace(regex, (...args: unknown[]) => {
    const groups = typeof args.at(-1) === "object" ? (args.pop() as Record<string, string | undefined>) : {};
    const whole = args.pop() as string;
    const offset = args.pop() as number;
    const captures = args as (string | undefined)[];
    const ordered = [captures[0], ...order.map((index) => captures[index])];
    return expand(replacement, ordered, groups, { whole, offset });
  });
}

function expand(
  replacement: string,
  captures: readonly (string | undefined)[],
  groups: Readonly<Record<string, string | undefined>>,
  place: { whole: string; offset: number },
): string {
  const whole = captures[0] ?? "";
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
          return whole;
        case "`":
          return place.whole.slice(0, place.offset);
        case "'":
          return place.whole.slice(place.offset + whole.length);
        case "+":
          return captures.length > 1 ? (captures.at(-1) ?? "") : "";
        default:
          return place.whole;
      }
    },
  );
}
