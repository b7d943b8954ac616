import { readFile } from "node:fs/promises";
import { parseSync, Visitor } from "oxc-parser";

/** A comment, a description, a message or a paragraph, with the line on which it begins (from 1). */
export interface Prose {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A string literal with at least this number of words counts as prose. */
const minWords = 4;

/** A file's prose: comments and text literals in TypeScript, comments in the other languages, Markdown as a whole. */
export async function proseOf(file: string, folder: string, literals: boolean): Promise<Prose[]> {
  const source = await readFile(`${folder}/${file}`, "utf8");
  if (/\.[mc]?[jt]s$/.test(file)) return typescriptProse(file, source, literals);
  if (file.endsWith(".md")) return markdownProse(file, source);
  if (file.endsWith(".graphql")) return matches(file, source, /"""([\s\S]*?)"""|^\s*"([^"\n]+)"$/gm);
  if (file.endsWith(".proto")) return matches(file, source, /\/\/(.*)$/gm);
  if (/schema\/events\/.*\.json$/.test(file)) return matches(file, source, /"(?:description|title)":\s*"([^"]*)"/g);
  if (/(\.sh|\.ya?ml|\.ci\/run|\.env\.example)$/.test(file)) return matches(file, source, /^\s*#(?!!)(.*)$/gm);
  return [];
}

function typescriptProse(file: string, source: string, literals: boolean): Prose[] {
  const lineAt = lineCounter(source);
  const { comments, program } = parseSync(file, source);
  const proseList: Prose[] = joinedComments(comments, source).map(({ start, value }) => ({
    file,
    line: lineAt(start),
    text: plainComment(value),
  }));
  if (!literals) return proseList;
  const add = (start: number, text: string) => {
    if (text.trim().split(/\s+/).length >= minWords) proseList.push({ file, line: lineAt(start), text });
  };
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === "string") add(node.start, node.value);
    },
    TemplateLiteral: (node) => add(node.start, node.quasis.map(({ value }) => value.cooked ?? value.raw).join("X")),
  }).visit(program);
  return proseList;
}

interface Comment {
  readonly type: "Line" | "Block";
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Line comments on consecutive lines are one text. */
function joinedComments(comments: readonly Comment[], source: string): { start: number; value: string }[] {
  const texts: { start: number; end: number; value: string; line: boolean }[] = [];
  for (const { type, value, start, end } of comments) {
    const last = texts.at(-1);
    if (
      type === "Line" &&
      last?.line &&
      /^\s*$/.test(source.slice(last.end, start)) &&
      !/\n\s*\n/.test(source.slice(last.end, start))
    ) {
      last.value += `\n${value}`;
      last.end = end;
    } else texts.push({ start, end, value, line: type === "Line" });
  }
  return texts;
}

const plainComment = (value: string): string =>
  value
    .split("\n")
    .map((line) => line.replace(/^\s*\*+ ?/, "").trim())
    .join(" ")
    .trim();

function markdownProse(file: string, source: string): Prose[] {
  const proseList: Prose[] = [];
  let paragraph: { line: number; lines: string[] } | undefined;
  let code = false;
  const flush = () => {
    if (paragraph) proseList.push({ file, line: paragraph.line, text: paragraph.lines.join(" ") });
    paragraph = undefined;
  };
  source.split("\n").forEach((text, index) => {
    if (/^\s*```/.test(text)) code = !code;
    const begins = /^\s*([-*+]|\d+\.|#+|>|\|)\s*/.exec(text);
    if (code || text.trim() === "" || begins || /^\s*```/.test(text)) flush();
    if (code || text.trim() === "" || /^\s*```/.test(text)) return;
    for (const cell of text.trim().startsWith("|") ? text.split("|") : [text.replace(begins?.[0] ?? "", "")]) {
      if (text.trim().startsWith("|")) proseList.push({ file, line: index + 1, text: cell.trim() });
      else if (paragraph) paragraph.lines.push(cell.trim());
      else paragraph = { line: index + 1, lines: [cell.trim()] };
    }
    if (text.startsWith("#")) flush();
  });
  flush();
  return proseList;
}

function matches(file: string, source: string, pattern: RegExp): Prose[] {
  const lineAt = lineCounter(source);
  return [...source.matchAll(pattern)].map((match) => ({
    file,
    line: lineAt(match.index),
    text: (match[1] ?? match[2] ?? "").replace(/\s+/g, " ").trim(),
  }));
}

function lineCounter(source: string): (offset: number) => number {
  const ends: number[] = [];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) ends.push(at);
  return (offset) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
