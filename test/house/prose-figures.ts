import { readFile } from "node:fs/promises";
import { type BindingPattern, type ParamPattern, parseSync, Visitor } from "oxc-parser";
import { proseOf } from "./source-text.js";
import { isGenerated, root, trackedFiles } from "./tracked-files.js";

/** Counts over the sources in some folders. */
export interface ProseFigures {
  readonly words: number;
  /** How often the word "of" stands in 1,000 comment words. */
  readonly ofs: number;
  /** The comments with two of them and at most three words between, as `file:line`. */
  readonly chains: readonly string[];
  readonly bindings: number;
  /** The share of bindings that are bare participles or pronouns, in percent. */
  readonly participles: number;
}

const irregular = new Set(
  [
    ...["known found given held own one asked taken made sent read begun written shown kept told said seen chosen"],
    ...["drawn done gone got lost met put spent built broken same it this that these those what which"],
  ].flatMap((words) => words.split(" ")),
);
/** Nouns and verbs that end like a participle. */
const noParticiple = /^(?:need|seed|feed|speed|shed|embed|bed|red|exceed)$/;

const isParticiple = (name: string) => irregular.has(name) || (/^[a-z]+ed$/.test(name) && !noParticiple.test(name));

/** Counts the word "of" and its chains in a text. */
export function ofsIn(text: string): { ofs: number; chains: number } {
  return {
    ofs: text.match(/\bof\b/gi)?.length ?? 0,
    chains: text.match(/\bof(?=\s+(?:[\w'`.,-]+\s+){1,3}of\b)/gi)?.length ?? 0,
  };
}

/** The names that a source's variables and parameters have. A destructuring shorthand has the property's name. */
export function bindingsOf(file: string, source: string): string[] {
  const names: string[] = [];
  const add = (pattern: BindingPattern | ParamPattern): void => {
    if (pattern.type === "Identifier") names.push(pattern.name);
    else if (pattern.type === "AssignmentPattern") add(pattern.left);
    else if (pattern.type === "RestElement") add(pattern.argument);
    else if (pattern.type === "ArrayPattern") {
      for (const element of pattern.elements) if (element) add(element);
    } else if (pattern.type === "ObjectPattern")
      for (const property of pattern.properties) {
        if (property.type === "RestElement") add(property.argument);
        else if (!property.shorthand) add(property.value);
      }
  };
  const addAll = ({ params }: { params: readonly ParamPattern[] }) => params.forEach(add);
  new Visitor({
    VariableDeclarator: ({ id }) => add(id),
    FunctionDeclaration: addAll,
    FunctionExpression: addAll,
    ArrowFunctionExpression: addAll,
  }).visit(parseSync(file, source).program);
  return names;
}

/** Figures for the TypeScript sources whose paths begin with `prefix`. */
export async function proseFigures(prefix: string): Promise<ProseFigures> {
  const files = trackedFiles().filter(
    (file) => file.startsWith(prefix) && file.endsWith(".ts") && !isGenerated(file) && !file.includes("/migrations/"),
  );
  const counts = { words: 0, ofs: 0, bindings: 0, participles: 0 };
  const chains: string[] = [];
  for (const file of files) {
    for (const { text, line } of await proseOf(file, root, false)) {
      const { ofs, chains: chainsHere } = ofsIn(text);
      counts.words += text.split(/\s+/).filter((word) => word !== "").length;
      counts.ofs += ofs;
      if (chainsHere > 0) chains.push(`${file}:${line}`);
    }
    const names = bindingsOf(file, await readFile(root + file, "utf8"));
    counts.bindings += names.length;
    counts.participles += names.filter(isParticiple).length;
  }
  return {
    words: counts.words,
    ofs: (counts.ofs / counts.words) * 1000,
    chains,
    bindings: counts.bindings,
    participles: (counts.participles / counts.bindings) * 100,
  };
}
