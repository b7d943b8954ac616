import { setImmediate as nextTurn } from "node:timers/promises";
import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import { type ForeignNumber, isForeignNumber, numberOrder } from "@factory/runtime/json/number-order";

/** A filter on an event's envelope, as `filterProblems` accepts it. */
export type EventFilter = Readonly<Record<string, unknown>>;

/** The limit on one evaluation's work, in comparisons, so that long lists and texts in events cost little. */
const maxComparisons = 20_000;
/** The limit on evaluations that share their work, and the limit on each one after that. */
const sharedLimits = { total: 100_000, each: 500 };
/** After so many comparisons in shared work other requests have their turn: a few milliseconds. */
const comparisonsBetweenPauses = 20_000;
/**
 * The characters that can be searched while one value is compared, in whole texts and in parts, and the values while a
 * time is read.
 */
const charactersPerComparison = 64;
const wholeCharactersPerComparison = 1024;
const partCharactersPerComparison = 16;
const comparisonsPerTime = 16;
/** A kept number is read, and so many digits in it cost as much as one comparison. */
const comparisonsPerKeptNumber = 4;
const digitsPerComparison = 32;
const timeForm = /^\d{4}-\d{2}-\d{2}T.{0,40}$/;

type Evaluate = (operand: unknown, value: unknown, work: Work) => boolean;

class Work {
  readonly #limit: number;
  #done = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get done(): number {
    return this.#done;
  }

  count(comparisons = 1): void {
    const total = this.#done + comparisons;
    // work that is refused is not done
    this.#done = Math.min(total, this.#limit);
    if (total > this.#limit) throw tooMuchWork;
  }
}

/**
 * The work for all evaluations in one transaction, which others may wait for. After it is used up, an evaluation may
 * still take about as long as a message's row.
 */
export class SharedWork {
  #left = sharedLimits.total;
  #sincePause = 0;

  get limit(): number {
    return Math.min(maxComparisons, Math.max(sharedLimits.each, this.#left));
  }

  spend(comparisons: number): void {
    this.#left -= comparisons;
    this.#sincePause += comparisons;
  }

  /** Whether the event loop should be given back before the next evaluation. */
  get needsPause(): boolean {
    return this.#sincePause >= comparisonsBetweenPauses;
  }

  /** Resolves in another turn of the event loop. */
  async pause(): Promise<void> {
    this.#sincePause = 0;
    await nextTurn();
  }
}

const tooMuchWork = new Error("The evaluation of a filter took too many comparisons.");

/** A filter's operators, by name. */
export const operators: Readonly<Record<string, Evaluate>> = {
  $eq: anyEquals,
  $neq: (operand, value, work) => !anyEquals(operand, value, work),
  $gt: (operand, value, work) => some(value, work, (item) => order(item, operand, work) > 0),
  $gte: (operand, value, work) => some(value, work, (item) => order(item, operand, work) >= 0),
  $lt: (operand, value, work) => some(value, work, (item) => order(item, operand, work) < 0),
  $lte: (operand, value, work) => some(value, work, (item) => order(item, operand, work) <= 0),
  $in: isIn,
  $nin: (operand, value, work) => !isIn(operand, value, work),
  $startsWith: (operand, value, work) =>
    someText(operand, value, work, (text, part) => comparesPart(part, work) && text.startsWith(part)),
  $endsWith: (operand, value, work) =>
    someText(operand, value, work, (text, part) => comparesPart(part, work) && text.endsWith(part)),
  $exist: (operand, value) => (value !== undefined) === operand,
  $and: (operand, value, work) => listOf(operand).every((condition) => fits(condition, value, work)),
  $or: (operand, value, work) => listOf(operand).some((condition) => fits(condition, value, work)),
  $not: (operand, value, work) => !fits(operand, value, work),
};

/**
 * Whether an event matches a filter. A list matches when one item does. An event whose evaluation would take too long
 * matches, because an unwanted webhook is better than a lost one.
 */
export function matchesFilter(filter: EventFilter, envelope: object, together?: SharedWork): boolean {
  const work = new Work(together?.limit ?? maxComparisons);
  try {
    return fits(filter, envelope, work);
  } catch (error) {
    if (error === tooMuchWork) return true;
    throw error;
  } finally {
    together?.spend(work.done);
  }
}

function fits(condition: unknown, value: unknown, work: Work): boolean {
  if (!isObject(condition)) return anyEquals(condition, value, work);
  const members = Object.entries(condition);
  work.count(members.length);
  if (Array.isArray(value) && members.some(([name]) => !isOperator(name)))
    return value.some((item) => fits(condition, item, work));
  return members.every(([name, operand]) => {
    const operator = operators[name];
    if (isOperator(name)) return operator !== undefined && operator(operand, value, work);
    return fits(operand, isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined, work);
  });
}

/** Names with a dollar sign are operators. */
export const isOperator = (name: string): boolean => name.startsWith("$");

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function some(value: unknown, work: Work, test: (item: unknown) => boolean): boolean {
  return listOf(value).some((item) => {
    work.count();
    return test(item);
  });
}

function anyEquals(operand: unknown, value: unknown, work: Work): boolean {
  if (typeof operand !== "string")
    return some(value, work, (item) => item === operand || isSameNumber(item, operand, work));
  return some(value, work, (item) => {
    if (typeof item !== "string" || item.length !== operand.length) return false;
    work.count(operand.length / wholeCharactersPerComparison);
    return item === operand;
  });
}

/** Counts the part's characters. */
function comparesPart(part: string, work: Work): true {
  work.count(part.length / partCharactersPerComparison);
  return true;
}

/** Whether two numbers, one a kept number, are the same. */
const isSameNumber = (first: unknown, other: unknown, work: Work): boolean =>
  (isKeptNumber(first) || isKeptNumber(other)) &&
  isForeignNumber(first) &&
  isForeignNumber(other) &&
  orderOfNumbers(first, other, work) === 0;

/** Counts the digits in kept numbers, since all are compared. */
function orderOfNumbers(first: ForeignNumber, other: ForeignNumber, work: Work): number {
  for (const number of [first, other])
    if (typeof number !== "number") work.count(comparisonsPerKeptNumber + number.rawJSON.length / digitsPerComparison);
  return numberOrder(first, other);
}

/** A list of values contains the value; a text is contained in the value. */
function isIn(operand: unknown, value: unknown, work: Work): boolean {
  if (typeof operand === "string")
    return someText(operand, value, work, (text, part) => {
      // The search compares so many characters at worst.
      work.count((text.length * part.length) / charactersPerComparison);
      return text.includes(part);
    });
  return listOf(operand).some((candidate) => anyEquals(candidate, value, work));
}

function someText(
  operand: unknown,
  value: unknown,
  work: Work,
  test: (text: string, part: string) => boolean,
): boolean {
  const parts = listOf(operand).filter((part) => typeof part === "string");
  return parts.some((part) => some(value, work, (item) => typeof item === "string" && test(item, part)));
}

/** Not a number for values that have no order, so that no comparison is true. Times are compared as times. */
function order(first: unknown, other: unknown, work: Work): number {
  if (isForeignNumber(first) && isForeignNumber(other)) return orderOfNumbers(first, other, work);
  if (typeof first !== "string" || typeof other !== "string") return Number.NaN;
  if (timeForm.test(first) && timeForm.test(other)) {
    work.count(comparisonsPerTime);
    const difference = Date.parse(first) - Date.parse(other);
    if (!Number.isNaN(difference)) return difference;
  }
  work.count(Math.min(first.length, other.length) / wholeCharactersPerComparison);
  if (first === other) return 0;
  return first < other ? -1 : 1;
}
