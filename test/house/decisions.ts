import { readFile } from "node:fs/promises";
import { basename } from "node:path/posix";
import { root, trackedFiles } from "./tracked-files.js";

/** One decision in a chapter under `schema/decisions`. */
interface DecisionRecord {
  readonly chapter: string;
  readonly title: string;
  readonly text: string;
}

export const maxWords = 150;

/** A checkout's decisions from all chapters, with its index and the references to decisions. */
export interface Decisions {
  readonly records: readonly DecisionRecord[];
  /** The index's text. */
  readonly index: string;
  readonly references: readonly { readonly file: string; readonly title: string }[];
}

const folder = "schema/decisions/";

/** The decisions that a chapter holds, in their order. */
export function recordsOf(chapter: string, source: string): DecisionRecord[] {
  const [, ...parts] = source.split(/^## /m);
  return parts.map((part) => {
    const end = part.indexOf("\n");
    return { chapter, title: part.slice(0, end), text: part.slice(end).trim() };
  });
}

/** The titles in references such as: decision "Turns of processes". */
export function referencesIn(source: string): string[] {
  const joinedText = source.replace(/\s+(?:(?:\*|\/\/|#)\s+)?/g, " ");
  return [...joinedText.matchAll(/\bdecisions? ("[^"]+"(?:(?:,| and|, and) "[^"]+")*)/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/"([^"]*)"/g)].map(([, title = ""]) => title),
  );
}

/** Everything that breaks the decisions' form, each as a sentence. */
export function faultsOf({ records, index, references }: Decisions): string[] {
  const faults: string[] = [];
  const titles = new Set<string>();
  for (const { title, text } of records) {
    const words = `${title} ${text}`.split(/\s+/).length;
    if (words > maxWords) faults.push(`"${title}" has ${words} words`);
    if (!/^Decision: /m.test(text)) faults.push(`"${title}" has no decision`);
    if (titles.has(title)) faults.push(`"${title}" is a title twice`);
    titles.add(title);
  }
  for (const { file, title } of references)
    if (!titles.has(title)) faults.push(`${file} refers to "${title}", which does not exist`);
  return [...faults, ...indexFaults(records, index)];
}

/** The chapters that the index lacks, and its first line that differs from the decisions in its chapters. */
function indexFaults(records: readonly DecisionRecord[], index: string): string[] {
  const chapters = [...index.matchAll(/^## \[.*\]\((.*)\)$/gm)].map(([, file = ""]) => file);
  const faults = [...new Set(records.map(({ chapter }) => chapter))]
    .filter((chapter) => !chapters.includes(chapter))
    .map((chapter) => `the index lacks ${chapter}`);
  const expectedLines = chapters.flatMap((file) => records.filter(({ chapter }) => chapter === file).map(lineOf));
  const indexLines = [...index.matchAll(/^- (.*)$/gm)].map(([, line = ""]) => line);
  const at = Array.from({ length: Math.max(expectedLines.length, indexLines.length) }, (_, place) => place).find(
    (place) => expectedLines[place] !== indexLines[place],
  );
  if (at !== undefined)
    faults.push(`the index has ${indexLines[at] ?? "nothing"} in place of ${expectedLines[at] ?? "nothing"}`);
  return faults;
}

/** A decision's line in the index. GitHub makes a heading's address from its letters, digits and spaces. */
function lineOf({ chapter, title }: DecisionRecord): string {
  const words = title.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "");
  return `[${title}](${chapter}#${words.replaceAll(" ", "-")})`;
}

/** Reads the checkout's decisions. */
export async function readDecisions(): Promise<Decisions> {
  const files = trackedFiles();
  const pages = files.filter((file) => file.startsWith(folder) && file.endsWith(".md"));
  const chapters = pages.filter((file) => basename(file) !== "README.md");
  const records = await Promise.all(
    chapters.map(async (file) => recordsOf(basename(file), await readFile(root + file, "utf8"))),
  );
  const prose = files.filter((file) => /\.([mc]?[jt]s|md|graphql|proto|ya?ml|sh)$/.test(file) && !isTestOfThis(file));
  const references = await Promise.all(
    prose.map(async (file) => referencesIn(await readFile(root + file, "utf8")).map((title) => ({ file, title }))),
  );
  return {
    records: records.flat(),
    index: await readFile(`${root}${folder}README.md`, "utf8"),
    references: references.flat(),
  };
}

/** Its planted references name decisions that do not exist. */
const isTestOfThis = (file: string): boolean => file.startsWith("test/house/decisions.");
