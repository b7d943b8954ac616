import { ConditionFault, type CppSign, fold, type Item, truth } from "./cpp-scope.js";
import { parseDouble, parseHex, parseLong, type SymbolValue, type Variables } from "./symbol-value.js";
import { TokenReader } from "./token-reader.js";

/*
 * The C++ evaluator, which most files use for `#if`. It has dotnet new's grammar: outside parentheses only the
 * first operand counts, `&&` and `||` have the same precedence, comparisons bind tighter, and a symbol matches inside
 * longer words too.
 */

type Lexeme = Item | { kind: "literal"; text: string };

const operatorSigns: readonly [string, CppSign][] = [
  ["&&", "&&"],
  ["||", "||"],
  ["^", "^"],
  ["!", "!"],
  [">", ">"],
  [">=", ">="],
  ["<", "<"],
  ["<=", "<="],
  ["==", "=="],
  ["=", "=="],
  ["!=", "!="],
  ["&", "&"],
  ["|", "|"],
  ["<<", "<<"],
  [">>", ">>"],
  ["(", "("],
  [")", ")"],
  [" ", "blank"],
  ["\t", "blank"],
  ["\r\n", "end"],
  ["\n", "end"],
  ["\r", "end"],
  ['"', "quote"],
  ["'", "quote"],
];

interface CppOutcome {
  value: boolean;
  /** The number of characters that were read. */
  length: number;
  /** Why the condition is not evaluated as it is written, or null. A condition with a fault may be false for that reason. */
  fault: string | null;
}

export class CppEvaluator {
  readonly #reader: TokenReader<Item>;

  constructor(variables: Variables, variableName: (name: string) => string = (name) => name) {
    const tokens: [string, Item][] = operatorSigns.map(([text, sign]) => [text, { kind: "sign", sign, text }]);
    for (const [name, value] of variables) tokens.push([variableName(name), { kind: "value", value }]);
    this.#reader = new TokenReader(tokens);
  }

  /** `text` starts behind the keyword and includes at least the rest of its line. */
  evaluate(text: string): CppOutcome {
    let { lexemes, length } = this.#read(text, false);
    // dotnet new fails on a logical operator without a right operand; here the rest of the line is read instead
    if (endsInLogic(lexemes)) ({ lexemes, length } = this.#read(text, true));
    const isCut = unreadRest.test(text.slice(length));
    try {
      const value = truth(fold(joinLiterals(lexemes)));
      return { value, length, fault: isCut ? unreadFault(lexemes, value) : null };
    } catch (error) {
      if (error instanceof ConditionFault) return { value: false, length, fault: error.message };
      throw error;
    }
  }

  #read(text: string, joining: boolean): { lexemes: Lexeme[]; length: number } {
    const scan = new Scan(text, joining);
    let first = true;
    while (scan.position < text.length) {
      const item = this.#reader.at(text, scan.position);
      if (!first && scan.depth === 0 && !scan.mayContinue(item?.value)) break;
      if (item !== undefined) {
        const isEnd = item.value.kind === "sign" && item.value.sign === "end";
        if (isEnd && scan.quote === null) {
          // inside parentheses a condition may continue on the next line
          if (scan.depth > 0) scan.position += item.text.length;
          break;
        }
        scan.take(item.text, item.value);
      } else if (first || scan.depth > 0 || scan.quote !== null) {
        scan.takeCharacter();
      } else {
        break;
      }
      first = false;
    }
    scan.endLiteral();
    return { lexemes: scan.lexemes, length: scan.position };
  }
}

class Scan {
  position = 0;
  depth = 0;
  quote: string | null = null;
  readonly lexemes: Lexeme[] = [];
  #literal = "";
  readonly #text: string;
  readonly #joining: boolean;

  constructor(text: string, joining: boolean) {
    this.#text = text;
    this.#joining = joining;
  }

  /** Outside parentheses a token is read only after white space or a closing parenthesis. */
  mayContinue(item: Item | undefined): boolean {
    if (this.quote !== null) return true;
    if (item === undefined) return false;
    if (this.#joining) return true;
    const last = this.lexemes.at(-1);
    return last?.kind === "sign" && (last.sign === "blank" || last.sign === ")");
  }

  take(text: string, item: Item): void {
    this.position += text.length;
    if (item.kind === "sign" && item.sign === "quote") {
      this.#takeQuote(text);
      return;
    }
    if (this.quote !== null) {
      this.#literal += text;
      return;
    }
    this.endLiteral();
    if (item.kind === "sign" && item.sign === "(") this.depth++;
    if (item.kind === "sign" && item.sign === ")") this.depth--;
    this.lexemes.push(item);
  }

  takeCharacter(): void {
    this.#literal += this.#text.charAt(this.position);
    this.position++;
  }

  endLiteral(): void {
    if (this.#literal === "") return;
    this.lexemes.push({ kind: "literal", text: this.#literal });
    this.#literal = "";
  }

  #takeQuote(text: string): void {
    if (this.quote === null) {
      this.endLiteral();
      this.quote = text;
      this.#literal = text;
    } else if (this.quote === text) {
      this.quote = null;
      this.#literal += text;
      this.endLiteral();
    } else {
      this.#literal += text;
    }
  }
}

const logicalSigns = new Set<CppSign>(["&&", "||", "^"]);

// the rest of the line looks like a part of the condition
const unreadRest = /^[ \t]*(?:&&|\|\||[=!]=?|[<>]=?\s*[\w"'(]|[\w"'(])/;

function unreadFault(lexemes: readonly Lexeme[], value: boolean): string {
  const visibleLexemes = lexemes.filter((lexeme) => lexeme.kind !== "sign" || lexeme.sign !== "blank");
  const isNegation = visibleLexemes.every((lexeme) => lexeme.kind === "sign" && lexeme.sign === "!");
  return isNegation
    ? `the text behind its "!" is not read, so it is always ${value}. Put it in parentheses`
    : "only its first operand is read, so put it in parentheses";
}

function endsInLogic(lexemes: readonly Lexeme[]): boolean {
  const last = lexemes.findLast((lexeme) => lexeme.kind !== "sign" || lexeme.sign !== "blank");
  return last?.kind === "sign" && logicalSigns.has(last.sign);
}

/** Removes blanks, except between two literals: these become one literal. */
function joinLiterals(lexemes: readonly Lexeme[]): Item[] {
  const items: Item[] = [];
  let literal: string | null = null;
  let blanks = "";
  const flush = () => {
    if (literal !== null) items.push({ kind: "value", value: literalValue(literal) });
    literal = null;
    blanks = "";
  };
  for (const lexeme of lexemes) {
    if (lexeme.kind === "literal") {
      literal = literal === null ? lexeme.text : literal + blanks + lexeme.text;
      blanks = "";
    } else if (lexeme.kind === "sign" && lexeme.sign === "blank") {
      blanks += lexeme.text;
    } else {
      flush();
      items.push(lexeme);
    }
  }
  flush();
  return items;
}

function literalValue(text: string): SymbolValue {
  const quote = text.charAt(0);
  if (text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote)) return text.slice(1, -1);
  const word = text.toLowerCase();
  if (word === "true") return true;
  if (word === "false") return false;
  if (word === "null") return null;
  const float = text.includes(".") ? parseDouble(text) : undefined;
  return float ?? parseLong(text) ?? parseHex(text) ?? null;
}
