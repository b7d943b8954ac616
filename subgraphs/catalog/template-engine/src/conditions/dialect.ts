import type { BinaryOperator } from "./tree.js";

export type Sign =
  | { kind: "binary"; operator: BinaryOperator }
  | { kind: "not" }
  | { kind: "open" }
  | { kind: "close" }
  | { kind: "blank" }
  | { kind: "end" }
  | { kind: "quote" }
  | { kind: "bad" };

/** One evaluator's operators and conventions. */
export interface Dialect {
  readonly signs: readonly (readonly [string, Sign])[];
  /** The text for an absent value. */
  readonly nullText: string;
  /** Whether variables are also replaced inside quotes. */
  readonly readsVariablesInQuotes: boolean;
  readonly encode: (text: string) => string;
  readonly decode: (text: string) => string;
}

const binary = (text: string, operator: BinaryOperator): [string, Sign] => [text, { kind: "binary", operator }];

const commonSigns: readonly [string, Sign][] = [
  ["(", { kind: "open" }],
  [")", { kind: "close" }],
  [" ", { kind: "blank" }],
  ["\t", { kind: "blank" }],
  ["\r\n", { kind: "end" }],
  ["\n", { kind: "end" }],
  ["\r", { kind: "end" }],
];

const unchangedText = (text: string) => text;

export const cpp2Dialect: Dialect = {
  signs: [
    ...commonSigns,
    binary("&&", "and"),
    binary("||", "or"),
    ["!", { kind: "not" }],
    binary(">", ">"),
    binary(">=", ">="),
    binary("<", "<"),
    binary("<=", "<="),
    binary("==", "=="),
    binary("!=", "!="),
    binary("<<", "<<"),
    binary(">>", ">>"),
    binary("+", "+"),
    binary("-", "-"),
    binary("*", "*"),
    binary("/", "/"),
    binary("&", "&"),
    binary("|", "|"),
    ["'", { kind: "quote" }],
    ['"', { kind: "quote" }],
  ],
  nullText: "null",
  readsVariablesInQuotes: false,
  encode: unchangedText,
  decode: decodeBackslashes,
};

export const msbuildDialect: Dialect = {
  signs: [
    ...commonSigns,
    binary("AND", "and"),
    binary("OR", "or"),
    ["!", { kind: "not" }],
    binary("&gt;", ">"),
    binary("&gt;=", ">="),
    binary("&lt;", "<"),
    binary("&lt;=", "<="),
    binary("==", "=="),
    binary("!=", "!="),
    ["'", { kind: "quote" }],
    // a property that is not a symbol: MSBuild will evaluate the condition
    ["$(", { kind: "bad" }],
  ],
  nullText: "null",
  readsVariablesInQuotes: true,
  encode: encodeXml,
  decode: decodeXml,
};

export const visualBasicDialect: Dialect = {
  signs: [
    ...commonSigns,
    ...["And", "AndAlso"].map((word) => binary(word, "and")),
    ...["Or", "OrElse"].map((word) => binary(word, "or")),
    ["Not", { kind: "not" }],
    binary("Xor", "xor"),
    binary(">", ">"),
    binary(">=", ">="),
    binary("<", "<"),
    binary("<=", "<="),
    binary("=", "=="),
    binary("<>", "!="),
    binary("<<", "<<"),
    binary(">>", ">>"),
    binary("+", "+"),
    binary("-", "-"),
    binary("*", "*"),
    binary("/", "/"),
    binary("^", "^"),
    ["'", { kind: "quote" }],
    ['"', { kind: "quote" }],
  ],
  nullText: "Nothing",
  readsVariablesInQuotes: false,
  encode: unchangedText,
  decode: decodeBackslashes,
};

function decodeBackslashes(text: string): string {
  return text.replaceAll('\\"', '"').replaceAll("\\'", "'");
}

const xmlEntities: Readonly<Record<string, string>> = { quot: '"', amp: "&", apos: "'", lt: "<", gt: ">" };

function encodeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;");
}

function decodeXml(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return xmlEntities[name] ?? whole;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
