import type { FieldError } from "@factory/runtime/errors/domain-error";
import { pointerToken } from "@factory/runtime/errors/json-pointer";
import { unstorableText } from "@factory/runtime/input-validation/storable-text";
import { isForeignNumber } from "@factory/runtime/json/number-order";
import { isObject, isOperator, operators } from "./event-filter.js";

/** The envelope attributes that a filter may name. */
const attributes = [
  ...["specversion", "messagekind", "id", "source", "type", "subject", "time", "datacontenttype", "schemaversion"],
  ...["tenantid", "projectid", "traceparent", "traceid", "correlationid", "causationid", "partitionkey"],
  ...["actorid", "agentid", "data"],
];

const limits = { totalLength: 8192, depth: 10, conditions: 100, items: 100 };
const maxErrors = 20;

interface Place {
  readonly pointer: string;
  readonly depth: number;
}

type Rule = (operand: unknown, place: Place, found: Findings) => void;

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || isForeignNumber(value);

const scalar: Rule = (operand, place, findings) => {
  if (!isScalar(operand)) findings.add(place, "TYPE", "Must be a string, a number, a boolean or null.");
};
const comparable: Rule = (operand, place, findings) => {
  if (typeof operand !== "string" && !isForeignNumber(operand))
    findings.add(place, "TYPE", "Must be a string or a number.");
};
const listOr =
  (detail: string, isItem: (item: unknown) => boolean): Rule =>
  (operand, place, findings) => {
    if (typeof operand === "string") return;
    if (!Array.isArray(operand) || !operand.every(isItem)) findings.add(place, "TYPE", detail);
    else if (operand.length === 0 || operand.length > limits.items)
      findings.add(place, "TOO_LONG", `Must have 1 to ${limits.items} items.`);
  };
const texts = listOr("Must be a string, or a list of strings.", (item) => typeof item === "string");
const members = listOr("Must be a list of strings, numbers, booleans or nulls, or a string.", isScalar);
const conditions: Rule = (operand, place, findings) => {
  if (!Array.isArray(operand) || operand.length === 0) findings.add(place, "TYPE", "Must be a list of conditions.");
  else
    operand.forEach((item, index) => {
      findings.check(item, { pointer: `${place.pointer}/${index}`, depth: place.depth + 1 });
    });
};

const rules: Readonly<Record<string, Rule>> = {
  ...{ $eq: scalar, $neq: scalar, $gt: comparable, $gte: comparable, $lt: comparable, $lte: comparable },
  ...{ $in: members, $nin: members, $startsWith: texts, $endsWith: texts, $and: conditions, $or: conditions },
  $exist: (operand, place, findings) => {
    if (typeof operand !== "boolean") findings.add(place, "TYPE", "Must be true or false.");
  },
  $not: (operand, place, findings) => findings.check(operand, place),
};

/** Collects what is wrong with a filter. */
class Findings {
  readonly errors: FieldError[] = [];
  #conditions = 0;

  add({ pointer }: Place, code: string, detail: string): void {
    if (this.errors.length < maxErrors) this.errors.push({ pointer, code, detail });
  }

  check(condition: unknown, place: Place): void {
    this.#conditions += 1;
    if (this.#conditions === limits.conditions + 1)
      this.add(place, "TOO_LONG", `A filter must have at most ${limits.conditions} conditions.`);
    if (this.#conditions > limits.conditions) return;
    if (place.depth > limits.depth) this.add(place, "TOO_LONG", `A filter must have at most ${limits.depth} levels.`);
    else if (isObject(condition)) this.#checkMembers(condition, place);
    else if (!isScalar(condition))
      this.add(place, "TYPE", "Must be a value or an object. For a list of values, use $in.");
  }

  #checkMembers(condition: Record<string, unknown>, { pointer, depth }: Place): void {
    const names = Object.keys(condition);
    if (names.length === 0) this.add({ pointer, depth }, "TOO_SHORT", "Must have at least one member.");
    for (const name of names) {
      const place = { pointer: `${pointer}/${pointerToken(name)}`, depth: depth + 1 };
      const operand = condition[name];
      if (!isOperator(name)) this.check(operand, place);
      else if (Object.hasOwn(operators, name)) rules[name]?.(operand, place, this);
      else this.add(place, "UNKNOWN_VALUE", `Must be one of ${Object.keys(operators).join(", ")}.`);
    }
  }
}

/** The errors in a filter, with JSON pointers. Empty for a filter that `matchesFilter` can evaluate. */
export function filterProblems(filter: Readonly<Record<string, unknown>>, pointer: string): FieldError[] {
  if (JSON.stringify(filter).length > limits.totalLength)
    return [{ pointer, code: "TOO_LONG", detail: `Must be at most ${limits.totalLength} characters of JSON.` }];
  const unstorable = unstorableText(filter);
  if (unstorable.length > 0) return unstorable.map((error) => ({ ...error, pointer: pointer + error.pointer }));
  const findings = new Findings();
  for (const name of Object.keys(filter))
    if (!isOperator(name) && !attributes.includes(name))
      findings.add(
        { pointer: `${pointer}/${pointerToken(name)}`, depth: 1 },
        "UNKNOWN_VALUE",
        `Must be an attribute of the envelope (${attributes.join(", ")}) or an operator.`,
      );
  findings.check(filter, { pointer, depth: 0 });
  return findings.errors;
}
