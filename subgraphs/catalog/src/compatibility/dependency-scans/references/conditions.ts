/** Answers the conditions that a render's files do not decide. One evaluation gets the same answer each time. */
export class ConditionAnswers {
  /** The answers so far, in the order of the first questions. */
  readonly given = new Map<string, boolean>();
  readonly #fixed: ReadonlyMap<string, boolean>;

  constructor(fixedAnswers: ReadonlyMap<string, boolean>) {
    this.#fixed = fixedAnswers;
  }

  isTrue(condition: string): boolean {
    const answer = this.given.get(condition) ?? this.#fixed.get(condition) ?? true;
    this.given.set(condition, answer);
    return answer;
  }
}

/**
 * Evaluates once for every combination of answers that makes a difference, at most so many times. The first evaluation
 * has every condition true, and those that follow it differ in one answer.
 */
export function forAllAnswers<Result>(
  most: number,
  evaluate: (answers: ConditionAnswers) => Result,
): { readonly results: Result[]; readonly complete: boolean } {
  const waiting: ReadonlyMap<string, boolean>[] = [new Map()];
  const results: Result[] = [];
  let complete = true;
  for (const fixedAnswers of waiting) {
    const answers = new ConditionAnswers(fixedAnswers);
    results.push(evaluate(answers));
    const path = new Map(fixedAnswers);
    for (const condition of answers.given.keys()) {
      if (fixedAnswers.has(condition)) continue;
      if (waiting.length >= most) {
        complete = false;
        break;
      }
      waiting.push(new Map([...path, [condition, false]]));
      path.set(condition, true);
    }
  }
  return { results, complete };
}

/** A condition's surroundings. */
interface ConditionContext {
  /** Replaces what is known. Everything else stays as it is written. */
  readonly expand: (text: string) => string;
  /** Whether the property has a value. */
  readonly isSet: (name: string) => boolean;
  /** Properties, in lower case, that are empty where no file has set them before. */
  readonly defaults: ReadonlySet<string>;
  readonly isFile: (path: string) => boolean;
  readonly answers: ConditionAnswers;
}

const maxLength = 1000;
const maxDepth = 10;
const comparison = /^('[^']*'|[^'=!<>\s]+)\s*(==|!=)\s*('[^']*'|[^'=!<>\s]+)$/;
const existence = /^exists\s*\(\s*'?([^']*?)'?\s*\)$/i;
const oneProperty = /^\$\(\s*([\w.-]+)\s*\)$/;
const words = new Map([
  ["on", "true"],
  ["yes", "true"],
  ["off", "false"],
  ["no", "false"],
]);

/** Whether a condition holds. The answers decide where the files do not. */
export function holds(condition: string, context: ConditionContext, depth = 0): boolean {
  const text = condition.trim();
  if (text === "") return true;
  if (text.length > maxLength || depth > maxDepth) return context.answers.isTrue(text);
  const alternatives = partsOf(text, "or");
  if (alternatives.length > 1) return alternatives.some((part) => holds(part, context, depth + 1));
  const needs = partsOf(text, "and");
  if (needs.length > 1) return needs.every((part) => holds(part, context, depth + 1));
  if (isEnclosed(text)) return holds(text.slice(1, -1), context, depth + 1);
  const comparisonParts = comparison.exec(text);
  if (comparisonParts !== null) return compare(comparisonParts, context);
  if (text.startsWith("!")) return !holds(text.slice(1), context, depth + 1);
  return isFact(text, context);
}

function compare([, left = "", operator, right = ""]: RegExpExecArray, context: ConditionContext): boolean {
  const sides = [left, right].map((side) => operand(side, context));
  const [a = "", b = ""] = sides;
  const isKnown = sides.every((side) => !/[$@%]\(/.test(side));
  const isSame = isKnown ? a === b || isSameNumber(a, b) : context.answers.isTrue(sides.sort().join(" == "));
  return isSame === (operator === "==");
}

function operand(side: string, { expand, isSet, defaults }: ConditionContext): string {
  const text = side.startsWith("'") ? side.slice(1, -1) : side;
  const name = oneProperty.exec(text.trim())?.[1]?.toLowerCase();
  if (name !== undefined && defaults.has(name) && !isSet(name)) return "";
  const value = expand(text).trim().toLowerCase();
  return words.get(value) ?? value;
}

function isSameNumber(a: string, b: string): boolean {
  const number = /^-?\d+(?:\.\d+)?$/;
  return number.test(a) && number.test(b) && Number(a) === Number(b);
}

function isFact(text: string, context: ConditionContext): boolean {
  const path = existence.exec(text)?.[1];
  // a file that is not in the render may come with a package
  if (path !== undefined && context.isFile(context.expand(path))) return true;
  const value = operand(text, context);
  if (value === "true" || value === "false") return value === "true";
  return context.answers.isTrue(value.replace(/\s+/g, " "));
}

/** The parts between the operators that stand outside quotes and parentheses. */
function partsOf(text: string, operator: "and" | "or"): string[] {
  const separator = new RegExp(`\\s${operator}\\s|\\s${operator}(?=\\()|(?<=\\))${operator}\\s`, "giy");
  const parts: string[] = [];
  let [start, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth !== 0) continue;
    separator.lastIndex = at;
    const match = separator.exec(text);
    if (match === null) continue;
    parts.push(text.slice(start, at));
    start = at + match[0].length;
    at = start - 1;
  }
  return [...parts, text.slice(start)];
}

function isEnclosed(text: string): boolean {
  if (!text.startsWith("(")) return false;
  let [depth, isQuoted] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth === 0) return at === text.length - 1;
  }
  return false;
}
