import { asNumber, compareValues } from "./comparison.js";
import type { Dialect, Sign } from "./dialect.js";
import { maxNesting, nestsTooDeeply } from "./nesting.js";
import { MultiValue, parseBoolean, type SymbolValue, textOf, type Variables } from "./symbol-value.js";
import { TokenReader } from "./token-reader.js";
import { type BinaryOperator, type ExpressionNode, Group, ValueNode } from "./tree.js";

interface TreeOutcome {
  value: boolean;
  length: number;
  /** The reason why an expression has no value; it is treated as false then. */
  fault: string | null;
}

type Word = Sign | { kind: "variable"; value: SymbolValue };

class ExpressionFault extends Error {}

/** Evaluates expressions in one dialect with variables that do not change. */
export class TreeEvaluator {
  readonly #reader: TokenReader<Word>;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect, variables: Variables, variableName: (name: string) => string = (name) => name) {
    this.#dialect = dialect;
    const tokens: [string, Word][] = [...dialect.signs].map(([text, sign]) => [text, sign]);
    for (const [name, value] of variables) tokens.push([variableName(name), { kind: "variable", value }]);
    this.#reader = new TokenReader(tokens);
  }

  evaluate(text: string): TreeOutcome {
    const builder = new Builder(this.#dialect);
    const length = this.#read(text, builder);
    try {
      return { value: toBoolean(new Decision(this.#dialect.nullText).of(builder.finish())), length, fault: null };
    } catch (error) {
      if (error instanceof ExpressionFault) return { value: false, length, fault: error.message };
      throw error;
    }
  }

  #read(text: string, builder: Builder): number {
    let position = 0;
    while (position < text.length) {
      const item = this.#reader.at(text, position);
      if (item === undefined) {
        if (builder.complete) break;
        builder.character(text.charAt(position));
        position++;
        continue;
      }
      if (item.value.kind === "end" || builder.fault !== null) break;
      builder.word(item.text, item.value);
      position += item.text.length;
    }
    return position;
  }
}

class Builder {
  fault: string | null = null;
  #groups: Group<SymbolValue>[] = [new Group()];
  #quote: string | null = null;
  #literal = "";
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  get #group(): Group<SymbolValue> {
    const group = this.#groups.at(-1);
    if (group === undefined) throw new ExpressionFault("a parenthesis is not closed");
    return group;
  }

  /** After a complete expression unknown text ends the condition. */
  get complete(): boolean {
    return this.#quote === null && this.#literal === "" && this.#group.full;
  }

  character(text: string): void {
    this.#literal += text;
  }

  word(text: string, word: Word): void {
    if (word.kind === "bad") {
      this.fault ??= `"${text}" is not the name of a symbol`;
    } else if (word.kind === "quote" && (this.#quote === null || this.#quote === text)) {
      this.#toggleQuote(text);
    } else if (this.#quote !== null) {
      const isVariable = word.kind === "variable" && this.#dialect.readsVariablesInQuotes;
      this.#literal += isVariable ? this.#dialect.encode(word.value === null ? "null" : textOf(word.value)) : text;
    } else {
      this.#endLiteral();
      this.#apply(word);
    }
  }

  finish(): ExpressionNode<SymbolValue> {
    this.#endLiteral();
    if (this.fault !== null) throw new ExpressionFault(this.fault);
    return this.#group.root;
  }

  #toggleQuote(text: string): void {
    if (this.#quote === null) {
      this.#quote = text;
      return;
    }
    this.#quote = null;
    const value = this.#dialect.decode(this.#literal);
    this.#literal = "";
    this.#operand(new ValueNode<SymbolValue>(value));
  }

  #endLiteral(): void {
    if (this.#literal === "") return;
    const value = this.#dialect.decode(this.#literal);
    this.#literal = "";
    this.#operand(new ValueNode<SymbolValue>(value));
  }

  #apply(word: Word): void {
    switch (word.kind) {
      case "open":
        this.#groups.push(new Group());
        return;
      case "close":
        this.#closeGroup();
        return;
      case "variable":
        this.#operand(new ValueNode(word.value));
        return;
      case "not":
        this.#group.negate();
        return;
      case "binary":
        this.#group.apply(word.operator);
        return;
      case "blank":
      case "end":
      case "quote":
      case "bad":
        return;
    }
  }

  #closeGroup(): void {
    const inner = this.#groups.pop();
    if (inner === undefined || this.#groups.length === 0) {
      this.fault ??= "a closing parenthesis has no opening one";
      this.#groups = [inner ?? new Group()];
      return;
    }
    this.#group.acceptGroup(inner.root);
  }

  #operand(node: ExpressionNode<SymbolValue>): void {
    if (!this.#group.accept(node)) this.fault ??= "an operator is missing";
  }
}

/** Computes the values of tree nodes in one dialect. */
class Decision {
  readonly #nullText: string;

  constructor(nullText: string) {
    this.#nullText = nullText;
  }

  of(node: ExpressionNode<SymbolValue> | null, depth = 0): SymbolValue {
    if (depth > maxNesting) throw new ExpressionFault(nestsTooDeeply);
    // dotnet new fails here too, so the whole condition is false; a null in the text is a value
    if (node === null) throw new ExpressionFault("an operand is missing");
    if (node.kind === "value") return node.value;
    if (node.kind === "unary") {
      const operand = this.of(node.operand, depth + 1);
      return node.negates ? !toBoolean(operand) : operand;
    }
    // both operands are always evaluated, so a fault in either one is found
    return this.#combine(node.operator, this.of(node.left, depth + 1), this.of(node.right, depth + 1));
  }

  #combine(operator: BinaryOperator, left: SymbolValue, right: SymbolValue): SymbolValue {
    switch (operator) {
      case "and":
        return [toBoolean(left), toBoolean(right)].every(Boolean);
      case "or":
        return [toBoolean(left), toBoolean(right)].some(Boolean);
      case "xor":
        return toBoolean(left) !== toBoolean(right);
      case "==":
        return this.#compare(left, right) === 0;
      case "!=":
        return this.#compare(left, right) !== 0;
      case ">":
        return this.#compare(left, right) > 0;
      case ">=":
        return this.#compare(left, right) >= 0;
      case "<":
        return this.#compare(left, right) < 0;
      case "<=":
        return this.#compare(left, right) <= 0;
      default:
        return calculate(operator, left, right);
    }
  }

  #compare(left: SymbolValue, right: SymbolValue): number {
    const order = compareValues(left, right, this.#nullText);
    if (order === undefined) throw new ExpressionFault(`"${textOf(left)}" and "${textOf(right)}" cannot be compared`);
    return order;
  }
}

function calculate(operator: ArithmeticOperator, left: SymbolValue, right: SymbolValue): SymbolValue {
  const x = asNumber(left);
  const y = asNumber(right);
  if (x === undefined || y === undefined) {
    if (operator === "+") return textOf(left) + textOf(right);
    throw new ExpressionFault(`"${operator}" requires two numbers`);
  }
  return arithmetic[operator](x, y);
}

type ArithmeticOperator = "+" | "-" | "*" | "/" | "^" | "<<" | ">>" | "&" | "|";

const arithmetic: Readonly<Record<ArithmeticOperator, (x: number, y: number) => SymbolValue>> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  "/": divided,
  "^": (x, y) => x ** y,
  "<<": (x, y) => BigInt.asIntN(64, integer(x) << (integer(y) & 63n)),
  ">>": (x, y) => integer(x) >> (integer(y) & 63n),
  "&": (x, y) => integer(x) & integer(y),
  "|": (x, y) => integer(x) | integer(y),
};

/** The quotient of two integers is an integer. */
function divided(x: number, y: number): SymbolValue {
  if (!Number.isInteger(x) || !Number.isInteger(y)) return x / y;
  if (y === 0) throw new ExpressionFault("it divides by zero");
  return Math.trunc(x / y);
}

function integer(value: number): bigint {
  if (!Number.isFinite(value)) throw new ExpressionFault("an integer was expected");
  return BigInt(Math.trunc(value));
}

function toBoolean(value: SymbolValue): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint" || typeof value === "number") return Number(value) !== 0;
  const flag = typeof value === "string" ? parseBoolean(value) : undefined;
  if (flag !== undefined) return flag;
  const label = value === null ? "nothing" : value instanceof MultiValue ? value.toString() : `"${value}"`;
  throw new ExpressionFault(`${label} is neither true nor false`);
}
