import type { EvaluatorName } from "@factory/template-engine/evaluate-condition";
import type { TemplateConfig } from "@factory/template-engine/template-config";

/** Each evaluator's keywords. */
const words: Readonly<Record<EvaluatorName, ReadonlySet<string>>> = {
  "C++": new Set(["true", "false", "null"]),
  "C++2": new Set(["true", "false", "null"]),
  MSBUILD: new Set(["true", "false", "null", "and", "or"]),
  VB: new Set("true false nothing and andalso or orelse not xor then".split(" ")),
};

/** Names that have a value in every condition: symbols, tags, choices without quotes and the listed GUIDs. */
export function symbolNames({ symbols, tags, guids }: TemplateConfig): Set<string> {
  const names = new Set(["name", ...Object.keys(tags), ...symbols.keys(), ...guids.map((_, index) => `guid${index}`)]);
  for (const symbol of symbols.values())
    if (symbol.type === "parameter" && symbol.enableQuotelessLiterals)
      for (const { choice } of symbol.choices) names.add(choice);
  // the template engine binds this name itself on Windows
  return names.add("OS");
}

/** Words in a condition, outside quotes, that are neither symbols nor keywords. */
export function unknownNamesIn(condition: string, names: ReadonlySet<string>, evaluator: EvaluatorName): string[] {
  const unknown = wordsOf(condition, names).filter(
    (word) => /^[\p{L}_]/u.test(word) && !names.has(word) && !words[evaluator].has(word.toLowerCase()),
  );
  return [...new Set(unknown)];
}

/** The longest word part that is looked through. */
const maxSearched = 200;

/** The symbol that an evaluator reads inside a longer word, whose other characters it does not understand then. */
export function symbolInside(word: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(word)) return undefined;
  const beginning = word.slice(0, maxSearched);
  for (let from = 0; from < beginning.length; from++)
    for (let to = beginning.length; to > from; to--)
      if (names.has(beginning.slice(from, to))) return beginning.slice(from, to);
  return undefined;
}

/** A literal, such as `true` or `0x1F`, inside which a symbol is read. */
export function brokenLiteral(
  condition: string,
  names: ReadonlySet<string>,
): { word: string; symbol: string } | undefined {
  for (const word of wordsOf(condition, names)) {
    const symbol = /^(?:true|false|null|nothing|\d.*)$/iu.test(word) ? symbolInside(word, names) : undefined;
    if (symbol !== undefined) return { word, symbol };
  }
  return undefined;
}

/** The condition text that was read, with the rest of the word inside which the reading has ended. */
export function readPart(condition: string, length: number): string {
  const beginning = condition.slice(0, length);
  const rest = /[\p{L}\p{Nd}_]$/u.test(beginning) ? /^[\p{L}\p{Nd}_]+/u.exec(condition.slice(length)) : null;
  return beginning + (rest?.[0] ?? "");
}

function wordsOf(condition: string, names: ReadonlySet<string>): string[] {
  let bare = condition.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, " ");
  // a name with other characters would be split into several words
  for (const name of names) if (!/^[\p{L}\p{Nd}_]+$/u.test(name)) bare = bare.replaceAll(name, " ");
  return bare.match(/[\p{L}_][\p{L}\p{Nd}_]*|[\p{Nd}][\p{L}\p{Nd}_]*/gu) ?? [];
}
