import type { Edit, Fault, Rule } from "./fault.js";

/** How many lines around a hit may be needed to name it. */
const maxLines = 6;

/** True for product sources. Faults in tests and in written files prove nothing. */
export const isProduct = (file: string): boolean =>
  /^(schema\/events|subgraphs|gateway|rest-facade)\/.*\.(ts|json)$/.test(file) &&
  !/\.(test|fixture|d)\.ts$|\/dist\/|\/generated\//.test(file);

/** Every fault that a rule's edits make in one file, in text order. */
export function candidatesIn(rule: Rule, file: string, text: string): Fault[] {
  const hitList = rule.edits.flatMap((edit) => hits(edit, text));
  return hitList
    .sort((first, other) => first.start - other.start)
    .flatMap((hit) => {
      const block = uniqueBlock(text, hit);
      return block ? [{ rule: rule.rule, file, ...block }] : [];
    });
}

interface Hit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

function hits({ pattern, replace }: Edit, text: string): Hit[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [start, end] = [match.index, match.index + match[0].length];
    const replacement = match[0].replace(new RegExp(pattern.source, pattern.flags.replace("g", "")), replace);
    // a pattern that looks ahead does not match its own hit alone
    const newText = replacement === match[0] ? expand(replace, match) : replacement;
    return isCode(text, start) ? [{ start, end, replacement: newText }] : [];
  });
}

const expand = (replace: string, match: RegExpMatchArray) =>
  replace.replaceAll(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? "");

/** False in a comment. */
function isCode(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", at) + 1, at);
  return !/^\s*(\*|\/\*)|\/\//.test(line);
}

/** A hit's lines, with as many lines before them as make the text unique in its file. */
function uniqueBlock(text: string, { start, end, replacement }: Hit): Pick<Fault, "find" | "replace"> | undefined {
  const last = text.indexOf("\n", end);
  const blockEnd = last < 0 ? text.length : last;
  let blockStart = text.lastIndexOf("\n", start) + 1;
  for (let lines = 0; lines < maxLines; lines += 1) {
    const find = text.slice(blockStart, blockEnd);
    if (occursOnce(text, find))
      return { find, replace: text.slice(blockStart, start) + replacement + text.slice(end, blockEnd) };
    if (blockStart === 0) return undefined;
    blockStart = text.lastIndexOf("\n", blockStart - 2) + 1;
  }
  return undefined;
}

export const occursOnce = (text: string, part: string): boolean =>
  text.includes(part) && text.indexOf(part) === text.lastIndexOf(part);
