import { sameText } from "../text/invariant-case.js";
import { maxNesting, nestsTooDeeply } from "./nesting.js";
import { MultiValue, parseBoolean, parseDouble, parseLong, type SymbolValue } from "./symbol-value.js";

type Operator = "!" | "&&" | "||" | "^" | ">" | ">=" | "<" | "<=" | "==" | "!=" | "&" | "|" | "<<" | ">>";
export type CppSign = Operator | "(" | ")" | "blank" | "end" | "quote";

export type Item = { kind: "sign"; sign: CppSign; text: string } | { kind: "value"; value: SymbolValue };

export class ConditionFault extends Error {}

class Scope {
  left: Side = null;
  operator: Operator | null = null;
  right: Side = null;
  slot: "left" | "right" | "none" = "left";

  put(value: Side): void {
    if (this.slot === "left") {
      this.left = value;
      this.slot = "right";
    } else if (this.slot === "right") {
      this.right = value;
      this.slot = "none";
    }
  }
}

type Side = Scope | SymbolValue;

const logicalOperators = new Set<Operator | null>(["&&", "||", "^", "!"]);

/** Builds the expression tree item by item; the value comes from the scope that is open at the end. */
export function fold(items: readonly Item[]): SymbolValue {
  const folder = new Folder();
  for (const item of items) {
    if (item.kind === "value") folder.put(item.value);
    else folder.sign(item.sign);
  }
  return decide(folder.current);
}

class Folder {
  current = new Scope();
  readonly #parents: Scope[] = [];

  put(value: SymbolValue): void {
    this.current.put(value);
    while (this.current.slot === "none") {
      const parent = this.#parents.pop();
      if (parent === undefined) return;
      this.current = parent;
    }
  }

  sign(sign: CppSign): void {
    switch (sign) {
      case "(":
        this.#open(new Scope());
        return;
      case ")":
        if (this.current.slot === "right") this.current = this.#parents.pop() ?? this.current;
        return;
      case "!":
        this.#negate();
        return;
      case "&&":
      case "||":
      case "^":
        this.current = joined(this.current);
        this.current.operator = sign;
        if (sign === "&&") this.current.slot = "right";
        return;
      case "blank":
      case "end":
      case "quote":
        return;
      default:
        this.current = compared(this.current, this.#parents);
        this.current.operator = sign;
    }
  }

  #negate(): void {
    const negation = new Scope();
    negation.slot = "right";
    negation.operator = "!";
    this.#open(negation);
  }

  #open(scope: Scope): void {
    this.current.put(scope);
    this.#parents.push(this.current);
    this.current = scope;
  }
}

/** Makes a complete scope the left operand of the next operator. */
function joined(current: Scope): Scope {
  if (current.operator === null) return current;
  const scope = new Scope();
  scope.put(current);
  return scope;
}

/** A comparison binds tighter, so it takes the logical operator's right operand before it. */
function compared(current: Scope, parents: Scope[]): Scope {
  if (current.operator === null) {
    const { left } = current;
    if (current.slot !== "right" || !(left instanceof Scope) || !logicalOperators.has(left.operator)) return current;
    return stolen(left, parents);
  }
  if (logicalOperators.has(current.operator)) return stolen(current, parents);
  const scope = new Scope();
  scope.put(current);
  return scope;
}

function stolen(from: Scope, parents: Scope[]): Scope {
  const scope = new Scope();
  scope.put(from.right);
  from.right = scope;
  parents.push(from);
  return scope;
}

function decide(side: Side, depth = 0): SymbolValue {
  if (!(side instanceof Scope)) return side;
  if (depth > maxNesting) throw new ConditionFault(nestsTooDeeply);
  const { operator, left, right } = side;
  if (operator === null) return left === null ? false : decide(left, depth + 1);
  if (operator === "!") return !truth(decide(right, depth + 1));
  // dotnet new evaluates both operands, so a fault in either one counts
  return operations[operator](decide(left, depth + 1), decide(right, depth + 1));
}

const operations: Readonly<Record<Exclude<Operator, "!">, (left: SymbolValue, right: SymbolValue) => SymbolValue>> = {
  "&&": (left, right) => both(left, right, (x, y) => x && y),
  "||": (left, right) => both(left, right, (x, y) => x || y),
  "^": (left, right) => both(left, right, (x, y) => x !== y),
  "==": equal,
  "!=": (left, right) => !equal(left, right),
  ">": (left, right) => number(left) > number(right),
  ">=": (left, right) => number(left) >= number(right),
  "<": (left, right) => number(left) < number(right),
  "<=": (left, right) => number(left) <= number(right),
  "&": (left, right) => long(left) & long(right),
  "|": (left, right) => long(left) | long(right),
  "<<": (left, right) => BigInt.asIntN(64, long(left) << (long(right) & 63n)),
  ">>": (left, right) => long(left) >> (long(right) & 63n),
};

function both(left: SymbolValue, right: SymbolValue, combine: (x: boolean, y: boolean) => boolean): boolean {
  return combine(truth(left), truth(right));
}

export function truth(value: SymbolValue): boolean {
  if (value === null) return false;
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint" || typeof value === "number") return Number(value) !== 0;
  const flag = typeof value === "string" ? parseBoolean(value) : undefined;
  if (flag === undefined) throw new ConditionFault(`"${value.toString()}" is neither true nor false`);
  return flag;
}

function number(value: SymbolValue): number {
  if (value === null) return 0;
  if (typeof value === "string") {
    const result = parseDouble(value);
    if (result === undefined) throw new ConditionFault(`"${value}" is not a number`);
    return result;
  }
  if (value instanceof MultiValue) throw new ConditionFault("several choices are not a number");
  return Number(value);
}

function long(value: SymbolValue): bigint {
  if (typeof value === "bigint") return value;
  const integer = typeof value === "string" ? parseLong(value) : BigInt(Math.round(number(value)) || 0);
  if (integer === undefined) throw new ConditionFault(`"${String(value)}" is not an integer`);
  return integer;
}

/** Texts are compared case-insensitively; values of different types are never equal. */
function equal(left: SymbolValue, right: SymbolValue): boolean {
  if (left instanceof MultiValue) return contains(left, right);
  if (right instanceof MultiValue) return contains(right, left);
  if (typeof left === "string" && typeof right === "string") return sameText(left, right);
  return left === right;
}

function contains(many: MultiValue, value: SymbolValue): boolean {
  if (value instanceof MultiValue) {
    return many.values.length === value.values.length && many.values.every((choice) => value.values.includes(choice));
  }
  return typeof value === "string" && many.values.some((choice) => sameText(choice, value));
}
