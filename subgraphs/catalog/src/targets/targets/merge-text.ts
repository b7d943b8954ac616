import { diff3MergeRegions } from "node-diff3";
import { lineSegments, type Versions } from "./line-segments.js";

/** `unmergeable`: the file is binary, or its versions are too different to be compared in time. */
export type MergedText =
  | { readonly bytes: Uint8Array }
  /** `marked` has both versions in each conflict, between git's marks. */
  | { readonly conflictingHunks: number; readonly marked: Uint8Array }
  | "unmergeable";

/** The work that is left to one scaffold merge. Merging blocks the event loop, so it is limited. */
export interface RemainingWork {
  /** Line comparisons. The search for common lines is quadratic. */
  comparisons: number;
  /** Lines in all versions between their common start and end. Sorting them takes time too. */
  lines: number;
}

/**
 * Limits for one file version: all its lines, and its lines between the common start and end. A merge within them takes
 * a third of a second.
 */
const maxLines = 250_000;
const maxSortedLines = 50_000;

/** Merges the changes of both sides by lines (diff3). */
export function mergeText(versions: Versions<Uint8Array>, remaining: RemainingWork): MergedText {
  if (Object.values(versions).some(isBinary)) return "unmergeable";
  // Latin-1 keeps every byte in any encoding.
  const texts = mapped(versions, (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1"));
  if (Object.values(texts).some((text) => count(text, "\n") > maxLines)) return "unmergeable";
  const lineEnd = mergedLineEnd(mapped(texts, lineEndOf));
  const comparable = lineEnd === undefined ? texts : mapped(texts, (text) => text.replaceAll("\r\n", "\n"));
  const mergedLines = mergeLines(mapped(comparable, linesOf), remaining);
  if (mergedLines === undefined) return "unmergeable";
  const text = lineEnd === "\r\n" ? mergedLines.text.replaceAll("\n", "\r\n") : mergedLines.text;
  const bytes = Buffer.from(text, "latin1");
  return mergedLines.conflictingHunks > 0
    ? { conflictingHunks: mergedLines.conflictingHunks, marked: bytes }
    : { bytes };
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

type LineEnd = "\n" | "\r\n" | "none" | "mixed";

function lineEndOf(text: string): LineEnd {
  const all = count(text, "\n");
  const windows = count(text, "\r\n");
  if (all === 0) return "none";
  if (windows === 0) return "\n";
  return windows === all ? "\r\n" : "mixed";
}

/**
 * One style of line ends for all versions, so that a change of line ends alone does not change a line. Undefined when a
 * version mixes styles.
 */
function mergedLineEnd({ base, ours, theirs }: Versions<LineEnd>): "\n" | "\r\n" | undefined {
  if (base === "mixed" || ours === "mixed" || theirs === "mixed") return undefined;
  const changedByUs = ours !== "none" && ours !== base;
  const chosenStyle = [changedByUs ? ours : theirs, ours, base].find((style) => style !== "none");
  return chosenStyle === "\r\n" ? "\r\n" : "\n";
}

interface MergedLines {
  /** With marks around conflicts. */
  readonly text: string;
  readonly conflictingHunks: number;
}

/** Undefined when no work remains. */
function mergeLines(lines: Versions<string[]>, remaining: RemainingWork): MergedLines | undefined {
  const { start, end, middle } = withoutCommonEnds(lines);
  const sizes = Object.values(middle).map((part) => part.length);
  remaining.lines -= sizes.reduce((sum, size) => sum + size, 0);
  if (remaining.lines < 0 || sizes.some((size) => size > maxSortedLines)) return undefined;
  const mergedLines: string[] = [start];
  let conflictingHunks = 0;
  for (const segment of lineSegments(middle)) {
    const inner = withoutCommonEnds(segment);
    const { base, ours, theirs } = inner.middle;
    remaining.comparisons -= searchCost(base, ours) + searchCost(base, theirs);
    if (remaining.comparisons < 0) return undefined;
    const regions = ours.length + theirs.length + base.length === 0 ? [] : diff3MergeRegions(ours, base, theirs);
    mergedLines.push(inner.start);
    for (const region of regions) {
      if (region.stable) mergedLines.push(region.bufferContent.join(""));
      else if (sameLines(region.aContent, region.bContent)) mergedLines.push(region.aContent.join(""));
      else {
        conflictingHunks += 1;
        mergedLines.push(
          `<<<<<<< target\n${ended(region.aContent)}=======\n${ended(region.bContent)}>>>>>>> template\n`,
        );
      }
    }
    mergedLines.push(inner.end);
  }
  return { text: [...mergedLines, end].join(""), conflictingHunks };
}

/** The lines as a text that a mark can follow. */
function ended(lines: readonly string[]): string {
  const text = lines.join("");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * An upper limit for comparisons: for every pair of equal lines, node-diff3 may visit all common lines found so far.
 */
function searchCost(base: readonly string[], side: readonly string[]): number {
  const repeats = new Map<string, number>();
  for (const line of side) repeats.set(line, (repeats.get(line) ?? 0) + 1);
  const pairs = base.reduce((sum, line) => sum + (repeats.get(line) ?? 0), 0);
  return (pairs + base.length + side.length) * Math.min(base.length, side.length);
}

/** Splits off the lines that all three versions share at the start and at the end. They need no search. */
function withoutCommonEnds(lines: Versions<string[]>) {
  const { base, ours, theirs } = lines;
  const shortest = Math.min(base.length, ours.length, theirs.length);
  const isSameLine = (index: number) => base.at(index) === ours.at(index) && base.at(index) === theirs.at(index);
  let head = 0;
  while (head < shortest && isSameLine(head)) head += 1;
  let tail = 0;
  while (tail < shortest - head && isSameLine(-1 - tail)) tail += 1;
  return {
    start: base.slice(0, head).join(""),
    end: base.slice(base.length - tail).join(""),
    middle: mapped(lines, (all: string[]) => all.slice(head, all.length - tail)),
  };
}

function sameLines(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}

/** Lines with their line ends. Only the last line may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function count(text: string, part: string): number {
  let occurrences = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) occurrences += 1;
  return occurrences;
}

function mapped<T, R>({ base, ours, theirs }: Versions<T>, change: (value: T) => R): Versions<R> {
  return { base: change(base), ours: change(ours), theirs: change(theirs) };
}
