import { type Evaluate, type EvaluatorName, evaluatorFor } from "@factory/template-engine/evaluate-condition";
import type { Finding } from "@factory/template-engine/finding";
import type { SymbolValue, Variables } from "@factory/template-engine/symbol-value";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { readDirectives, styleOf } from "../content/directives.js";
import type { TemplateTexts } from "../content/template-texts.js";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";
import { brokenLiteral, readPart, symbolInside, symbolNames, unknownNamesIn } from "./condition-names.js";
import { templateConditions } from "./template-conditions.js";

const maxConditionLength = 16 * 1024;

interface WrittenCondition {
  text: string;
  evaluator: EvaluatorName;
  path: string;
  pointer?: string;
  line: number | null;
  column: number | null;
}

/** Checks the conditions in template.json and in the files with the default parameters. */
export function lintConditions(
  pack: TemplatePack,
  { places, texts, variables }: { places: ConfigPlaces; texts: TemplateTexts; variables: Variables | undefined },
): Finding[] {
  const conditions = [...templateConditions(pack.config, places), ...fileConditions(texts)];
  const names = symbolNames(pack.config);
  // a symbol without a value still has to be known as a name, so that it ends a word
  const knownVariables: Variables =
    variables ?? new Map(Array.from(names, (name): [string, SymbolValue] => [name, null]));
  const evaluators = new Map<EvaluatorName, Evaluate>();
  const reports = new Set<string>();
  return conditions.flatMap((condition) => {
    const { text, evaluator } = condition;
    const evaluate = evaluators.get(evaluator) ?? evaluatorFor(evaluator, knownVariables);
    evaluators.set(evaluator, evaluate);
    const { length, fault } = decided(evaluate, text);
    const beginning = readPart(text, length);
    const unknownNames = unknownNamesIn(beginning, names, evaluator).filter((name) => {
      const key = `${condition.path}\0${name}`;
      const isNew = !reports.has(key);
      reports.add(key);
      return isNew;
    });
    const hasUnknownName = unknownNamesIn(beginning, names, evaluator).length > 0;
    const literal = brokenLiteral(beginning, names);
    // the rest of the condition depends on the unknown name's value
    const decidable = variables !== undefined && !hasUnknownName;
    const why = literal
      ? `the symbol "${literal.symbol}" is read inside of "${literal.word}"`
      : ((hasUnknownName ? null : openFault(text, beginning)) ?? (decidable ? fault : null));
    return [
      ...unknownNames.map((name) => unknownName(name, condition, symbolInside(name, names))),
      ...(why === null ? [] : [unparseable(why, condition)]),
    ];
  });
}

/** A hostile condition may nest deeper than the call stack allows. */
function decided(evaluate: Evaluate, text: string): { length: number; fault: string | null } {
  try {
    return evaluate(text.slice(0, maxConditionLength));
  } catch (error) {
    if (error instanceof RangeError) return { length: 0, fault: "it nests too deeply" };
    throw error;
  }
}

function unknownName(
  name: string,
  { text, evaluator, path, pointer, line, column }: WrittenCondition,
  inside: string | undefined,
): Finding {
  const alone = evaluator === "C++" ? "the name has no value" : "the name is read as a text";
  const reading = inside === undefined ? alone : `the symbol "${inside}" is read inside of the name`;
  const message = `The condition "${shown(text)}" names "${name}". The template has no such symbol, so ${reading}.`;
  const inFile = pointer === undefined;
  const suggestion = inFile
    ? "Declare the symbol, or switch conditions off around a directive for the compiler (-:cnd:noEmit, +:cnd:noEmit)."
    : "Declare the symbol, or put the text into quotes.";
  return finding("UnknownSymbolInCondition", message, { path, pointer, line, column, suggestion });
}

function unparseable(fault: string, { text, path, pointer, line, column }: WrittenCondition): Finding {
  const message = `The condition "${shown(text)}" is not evaluated as it is written: ${fault}.`;
  const suggestion = "Put the whole condition into parentheses, and texts into quotes.";
  return finding("ConditionUnparseable", message, { path, pointer, line, column, suggestion });
}

function fileConditions({ texts }: TemplateTexts): WrittenCondition[] {
  return texts.flatMap(({ path, text, custom }) => {
    if (custom) return [];
    const evaluator: EvaluatorName = styleOf(path) === "vb" || /\.vbhtml$/i.test(path) ? "VB" : "C++";
    return readDirectives(path, text)
      .acting.filter(({ keyword }) => keyword === "if" || keyword === "elseif")
      .map(({ rest, line, column }) => ({ text: rest, evaluator, path, line, column }));
  });
}

/** An evaluator ends at text that it does not understand, so what it has read may lack a parenthesis that is written. */
function openFault(text: string, beginning: string): string | null {
  if (!isLeftOpen(beginning)) return null;
  if (isLeftOpen(text.slice(0, maxConditionLength))) return "a parenthesis is not closed";
  return `it is read up to "${shown(beginning)}" only`;
}

/** The evaluators accept a missing closing parenthesis at the end. */
function isLeftOpen(condition: string): boolean {
  const bare = condition.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "");
  return bare.split("(").length > bare.split(")").length;
}

function shown(text: string): string {
  const content = text.trim();
  return content.length > 80 ? `${content.slice(0, 80)}…` : content;
}
