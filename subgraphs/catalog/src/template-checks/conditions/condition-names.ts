import type { EvaluatorName } from "@factory/template-engine/evaluate-condition";
import type { TemplateConfig } from "@factory/template-engine/template-config";

/** The keywords of each evaluator. */
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

/** Words of a condition, outside quotes, that are neither symbols nor keywords. */
export function unknownNamesIn(condition: string, names: ReadonlySet<string>, evaluator: EvaluatorName): string[] {
  let bare = condition.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, " ");
  // a name with other characters would be split into several words
  for (const name of names) if (!/^[\p{L}\p{Nd}_]+$/u.test(name)) bare = bare.replaceAll(name, " ");
  const found = bare.match(/[\p{L}_][\p{L}\p{Nd}_]*|[\p{Nd}][\p{L}\p{Nd}_]*/gu) ?? [];
  const unknown = found.filter(
    (word) => /^[\p{L}_]/u.test(word) && !names.has(word) && !words[evaluator].has(word.toLowerCase()),
  );
  return [...new Set(unknown)];
}
