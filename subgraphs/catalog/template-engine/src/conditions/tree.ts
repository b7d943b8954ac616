/*
 * The expression tree for the C++2, MSBuild and Visual Basic evaluators. Nodes are linked while they are read, so only
 * the open node decides about precedence: after a complete comparison, `||` does not move above an earlier `&&`.
 */

export type BinaryOperator =
  | "and"
  | "or"
  | "xor"
  | ">"
  | ">="
  | "<"
  | "<="
  | "=="
  | "!="
  | "<<"
  | ">>"
  | "+"
  | "-"
  | "*"
  | "/"
  | "^"
  | "&"
  | "|";

export type ExpressionNode<V> = ValueNode<V> | UnaryNode<V> | BinaryNode<V>;

export class ValueNode<V> {
  readonly kind = "value";
  parent: ExpressionNode<V> | null = null;
  constructor(readonly value: V) {}
}

class UnaryNode<V> {
  readonly kind = "unary";
  operand: ExpressionNode<V> | null = null;
  constructor(
    public parent: ExpressionNode<V> | null,
    readonly negates: boolean,
  ) {}
}

class BinaryNode<V> {
  readonly kind = "binary";
  left: ExpressionNode<V> | null = null;
  right: ExpressionNode<V> | null = null;
  constructor(
    public parent: ExpressionNode<V> | null,
    readonly operator: BinaryOperator,
  ) {}
}

/** The tree inside one pair of parentheses. */
export class Group<V> {
  root: ExpressionNode<V> = new UnaryNode<V>(null, false);
  active: ExpressionNode<V> = this.root;

  /** Adds an operand; false when an operator is missing before it. */
  accept(node: ExpressionNode<V>): boolean {
    let at: ExpressionNode<V> | null = this.active;
    while (at !== null) {
      if (place(at, node)) {
        this.active = at;
        return true;
      }
      at = at.parent;
    }
    return false;
  }

  /** Adds a group in parentheses where an operand is missing; anywhere else the group is ignored. */
  acceptGroup(node: ExpressionNode<V>): void {
    place(this.active, node);
  }

  negate(): void {
    const node = new UnaryNode<V>(this.active, true);
    place(this.active, node);
    this.active = node;
  }

  apply(operator: BinaryOperator): void {
    const before = this.active;
    this.active = attach(before, operator);
    if (before.parent !== this.active) return;
    const { root } = this;
    const wrapsRoot = before === root || (root.kind === "unary" && !root.negates && root.operand === before);
    if (wrapsRoot) this.root = this.active;
  }

  /** True when no operand is missing, so that the next unknown character ends the expression. */
  get full(): boolean {
    let at: ExpressionNode<V> | null = this.active;
    while (at !== null) {
      if (!isFull(at)) return false;
      at = at.parent;
    }
    return true;
  }
}

function place<V>(into: ExpressionNode<V>, node: ExpressionNode<V>): boolean {
  if (into.kind === "value") return false;
  if (into.kind === "unary") {
    if (into.operand !== null) return false;
    into.operand = node;
  } else if (into.left === null) into.left = node;
  else if (into.right === null) into.right = node;
  else return false;
  node.parent ??= into;
  return true;
}

function isFull<V>(node: ExpressionNode<V>): boolean {
  if (node.kind === "value") return true;
  return node.kind === "unary" ? node.operand !== null : node.left !== null && node.right !== null;
}

function attach<V>(active: ExpressionNode<V>, operator: BinaryOperator): BinaryNode<V> {
  if (active.kind === "binary" && active.right !== null && bindsTighter(operator, active.operator)) {
    const node = new BinaryNode<V>(active, operator);
    node.left = active.right;
    active.right.parent = node;
    active.right = node;
    return node;
  }
  const { parent } = active;
  const node = new BinaryNode<V>(parent, operator);
  if (parent?.kind === "binary") {
    if (parent.left === active) parent.left = node;
    else if (parent.right === active) parent.right = node;
  }
  active.parent = node;
  node.left = active;
  return node;
}

// a lower number binds tighter; all numbers differ, so `a - b + c` means `a - (b + c)` as in dotnet new
const precedences: Readonly<Record<BinaryOperator, number>> = {
  "^": 24,
  "*": 25,
  "/": 26,
  "+": 28,
  "-": 29,
  "<<": 30,
  ">>": 31,
  "<": 32,
  ">": 33,
  "<=": 34,
  ">=": 35,
  "==": 36,
  "!=": 37,
  "&": 38,
  xor: 39,
  "|": 40,
  and: 41,
  or: 42,
};

function bindsTighter(operator: BinaryOperator, existing: BinaryOperator): boolean {
  return precedences[operator] < precedences[existing];
}
