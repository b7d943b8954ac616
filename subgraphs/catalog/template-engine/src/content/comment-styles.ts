import type { EvaluatorName } from "../conditions/evaluate-condition.js";
import { BalancedNesting } from "./balanced-nesting.js";
import { token } from "./byte-trie.js";
import { ConditionAttribute, type EvaluateAttribute } from "./condition-attribute.js";
import { type EvaluateAt, IfDirective } from "./if-directive.js";
import { Replacement } from "./replacement.js";
import type { Operation } from "./text-run.js";

/** The ways to write `#if` in a file: its language's comment signs. */
export type ConditionalStyle =
  | "none"
  | "cLine"
  | "cNoComment"
  | "cBlock"
  | "razor"
  | "msbuild"
  | "xml"
  | "jsx"
  | "rem"
  | "haml"
  | "hash"
  | "vb";

export interface Evaluators {
  at(name: EvaluatorName): EvaluateAt;
  attribute: EvaluateAttribute;
}

export interface Keywords {
  prefix: string;
  if: readonly string[];
  elseif: readonly string[];
  else: readonly string[];
  endif: readonly string[];
}

interface StyleOptions {
  keywords: Keywords;
  evaluate: EvaluateAt;
  wholeLine: boolean;
  trim: boolean;
  id: string | null;
  startsOn: boolean;
}

export const standardKeywords: Keywords = {
  prefix: "#",
  if: ["if"],
  elseif: ["elseif", "elif"],
  else: ["else"],
  endif: ["endif"],
};

// the hash is also the comment sign
const hashKeywords: Keywords = { ...standardKeywords, prefix: "" };

const vbKeywords: Keywords = {
  prefix: "#",
  if: ["If"],
  elseif: ["ElseIf"],
  else: ["Else"],
  endif: ["End If"],
};

/** Makes the operations for the `#if` directives in a built-in comment style. */
export function styleOperations(style: ConditionalStyle, evaluators: Evaluators): Operation[] {
  const cpp = standardOptions(evaluators.at("C++"));
  switch (style) {
    case "none":
      return [];
    case "cLine":
      return lineComments("//", cpp);
    case "cNoComment":
      return [plainConditional(cpp)];
    case "cBlock":
      return blockComments("/*", "*/", cpp);
    case "razor":
      return blockComments("@*", "*@", cpp);
    case "msbuild":
      return [new ConditionAttribute(evaluators.attribute), ...blockComments("<!--", "-->", cpp)];
    case "xml":
      return blockComments("<!--", "-->", cpp);
    case "jsx":
      return blockComments("{/*", "*/}", cpp);
    case "rem":
      return lineComments("rem ", cpp);
    case "haml":
      return lineComments("-#", cpp);
    case "hash":
      return lineComments("#", { ...cpp, keywords: hashKeywords });
    case "vb":
      return [plainConditional({ ...standardOptions(evaluators.at("VB")), keywords: vbKeywords })];
  }
}

function standardOptions(evaluate: EvaluateAt): StyleOptions {
  return { keywords: standardKeywords, evaluate, wholeLine: true, trim: true, id: null, startsOn: false };
}

/** Directives without a comment sign before them. */
function plainConditional(options: StyleOptions): Operation {
  const keywords = spellings(options.keywords, [""]);
  return conditional(options, {
    ...keywords,
    actionableIf: [],
    actionableElseif: [],
    actionableElse: [],
    actions: [],
  });
}

/** `//#if` keeps its branch as it is; `////#if` removes one comment sign from each line in its branch. */
export function lineComments(sign: string, options: StyleOptions): Operation[] {
  const uncomment = `uncomment ${sign}`;
  const reduce = `reduce ${sign}`;
  const single = spellings(options.keywords, [sign]);
  const double = spellings(options.keywords, [sign + sign]);
  return [
    conditional(options, {
      ...single,
      endif: [...single.endif, ...double.endif],
      actionableIf: double.if,
      actionableElseif: double.elseif,
      actionableElse: double.else,
      actions: [uncomment, reduce],
    }),
    new Replacement(token(sign + sign), Buffer.from(sign, "utf8"), reduce, false),
    new Replacement(token(sign), Buffer.alloc(0), uncomment, false),
  ];
}

/** `<!--#if` removes the comment around its branch and repairs the ends of inner comments. */
export function blockComments(start: string, end: string, options: StyleOptions, pseudoEnd?: string): Operation[] {
  const opening = spellings(options.keywords, [start]);
  const either = spellings(options.keywords, ["", start]);
  const pseudo = pseudoEnd ?? (end.length < 2 ? null : `${end.slice(0, -1)} ${end.slice(-1)}`);
  const repair = `repair ${start}`;
  const restart = `restart ${start}`;
  const operation = conditional(options, {
    if: [],
    elseif: [],
    else: [],
    endif: either.endif,
    actionableIf: opening.if,
    actionableElseif: either.elseif,
    actionableElse: either.else,
    actions: pseudo === null ? [] : [repair, restart],
  });
  if (pseudo === null) return [operation];
  const nesting = { start, realEnd: end, pseudoEnd: pseudo };
  return [operation, new BalancedNesting(nesting, repair, restart, options.startsOn)];
}

function conditional(options: StyleOptions, tokens: ConstructorParameters<typeof IfDirective>[0]["tokens"]): Operation {
  const { evaluate, wholeLine, trim, id, startsOn } = options;
  return new IfDirective({ tokens, evaluate, wholeLine, trim, id, startsOn });
}

function spellings(keywords: Keywords, signs: readonly string[]): Record<"if" | "elseif" | "else" | "endif", string[]> {
  const spell = (words: readonly string[]) =>
    words.flatMap((word) => signs.map((sign) => `${sign}${keywords.prefix}${word}`));
  return {
    if: spell(keywords.if),
    elseif: spell(keywords.elseif),
    else: spell(keywords.else),
    endif: spell(keywords.endif),
  };
}
