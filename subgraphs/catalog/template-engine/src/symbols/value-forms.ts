import { renderFailed } from "../findings/template-error.js";
import { escapePointer, type JsonObject } from "../json/json-value.js";
import { textMember, textsMember } from "../json/jsonc.js";
import { TemplatePatterns } from "../regular-expressions/template-patterns.js";
import { lower, upper } from "../text/invariant-case.js";

const maxChainDepth = 32;

const notWordPattern = /[^\p{L}\p{Mn}\p{Nd}\p{Pc}]/gu;
// a digit at the start of a name, also after a dot
const leadingDigit = /(?<=^|\.)(?=\p{Nd})/gu;
const identifierStart = /^[\p{L}\p{Nl}_]$/u;
const identifierPart = /^[\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]$/u;

type Transform = (value: string) => string;

const identity: Transform = (value) => value;
const firstLower: Transform = (value) => onFirst(value, lower);
const firstUpper: Transform = (value) => onFirst(value, upper);

// these names need no definition; forms that need settings change nothing without one
const builtInForms: ReadonlyMap<string, Transform> = new Map<string, Transform>([
  ["identity", identity],
  ["safe_name", safeName],
  ["lower_safe_name", (value) => lower(safeName(value))],
  ["safe_namespace", safeNamespace],
  ["lower_safe_namespace", (value) => lower(safeNamespace(value))],
  ["lowerCase", lower],
  ["lowerCaseInvariant", lower],
  ["upperCase", upper],
  ["upperCaseInvariant", upper],
  ["firstLowerCase", firstLower],
  ["firstLowerCaseInvariant", firstLower],
  ["firstUpperCase", firstUpper],
  ["firstUpperCaseInvariant", firstUpper],
  ["kebabCase", (value) => separatedCase(value, "-")],
  ["snakeCase", (value) => separatedCase(value, "_")],
  ["titleCase", titleCase],
  ["jsonEncode", jsonEncode],
  ["xmlEncode", xmlEncode],
  ["replace", identity],
  ["chain", identity],
]);

const formsByIdentifier = new Map(Array.from(builtInForms, ([name, transform]) => [name.toLowerCase(), transform]));

/** The forms that apply to every sourceName. */
export const nameForms = ["identity", "safe_name", "lower_safe_name", "safe_namespace", "lower_safe_namespace"];

/** A template's value forms: the built-in ones and those in `forms`. */
export class ValueForms {
  readonly #custom: ReadonlyMap<string, JsonObject>;
  readonly #unknownIdentifier: "refused" | "identity";
  readonly #patterns: TemplatePatterns;

  /** A render treats an unknown identifier as identity, as dotnet new does; a check refuses it. */
  constructor(
    custom: ReadonlyMap<string, JsonObject>,
    unknownIdentifier: "refused" | "identity" = "refused",
    patterns = new TemplatePatterns(),
  ) {
    this.#custom = custom;
    this.#unknownIdentifier = unknownIdentifier;
    this.#patterns = patterns;
  }

  has(name: string): boolean {
    return this.#custom.has(name) || builtInForms.has(name);
  }

  /** Applies a form to a value; undefined when the form is unknown. */
  apply(name: string, value: string, depth = 0): string | undefined {
    const definition = this.#custom.get(name);
    if (definition === undefined) return builtInForms.get(name)?.(value);
    const identifier = textMember(definition, "identifier") || "identity";
    if (depth > maxChainDepth) throw renderFailed(`The value form "${name}" contains itself.`);
    switch (identifier.toLowerCase()) {
      case "replace":
        return this.#replace(name, definition, value);
      case "chain":
        return this.#chain(name, definition, value, depth);
      default: {
        const transform = formsByIdentifier.get(identifier.toLowerCase());
        if (transform === undefined && this.#unknownIdentifier === "refused")
          throw renderFailed(`The value form "${name}" has the unknown identifier "${identifier}".`);
        return (transform ?? identity)(value);
      }
    }
  }

  #replace(name: string, definition: JsonObject, value: string): string {
    const pattern = textMember(definition, "pattern") ?? "";
    if (pattern === "") return value;
    const place = { owner: `The value form "${name}"`, pointer: `/forms/${escapePointer(name)}/pattern` };
    return this.#patterns.replace(value, { pattern, ...place }, textMember(definition, "replacement") ?? "");
  }

  #chain(name: string, definition: JsonObject, value: string, depth: number): string {
    let result = value;
    for (const step of textsMember(definition, "steps") ?? []) {
      const next = this.apply(step, result, depth + 1);
      if (next === undefined) throw renderFailed(`The chain "${name}" names the unknown value form "${step}".`);
      result = next;
    }
    return result;
  }
}

/** .NET changes one UTF-16 unit, so a character beyond the basic plane does not change. */
function onFirst(value: string, change: Transform): string {
  return change(value.slice(0, 1)) + value.slice(1);
}

function safeName(value: string): string {
  // .NET treats a character beyond the basic plane as two characters
  return value
    .trim()
    .replace(leadingDigit, "_")
    .replace(notWordPattern, (other) => "_".repeat(other.length));
}

function safeNamespace(value: string): string {
  const text = value.trim();
  let out = "";
  let position = 0;
  for (const character of text) {
    position += character.length;
    const begins = out === "" || out.endsWith(".");
    if (character === ".") out += out !== "" && position < text.length ? "." : "_";
    else if (character.length > 1 || !identifierPart.test(character)) out += "_";
    else out += begins && !identifierStart.test(character) ? `_${character}` : character;
  }
  return out;
}

// words begin at a capital, between letters and digits, and after punctuation; capitals in a row are one word
const wordPattern = new RegExp(
  [
    "(?:\\p{Lu}\\p{M}*)?(?:\\p{Ll}\\p{M}*)+",
    "(?:\\p{Lu}\\p{M}*)+(?!\\p{Ll})",
    "\\p{N}+",
    "[^\\p{C}\\p{P}\\p{Z}]+",
    "[\\u2700-\\u27bf]",
  ].join("|"),
  "gu",
);

/** .NET expressions treat a character beyond the basic plane as two surrogates, which are not word characters. */
function separatedCase(value: string, separator: string): string {
  return (value.replace(/[\u{10000}-\u{10ffff}]/gu, " ").match(wordPattern) ?? []).map(lower).join(separator);
}

/** As TextInfo.ToTitleCase in .NET: a word in capitals does not change. */
function titleCase(value: string): string {
  return value.replace(/[\p{L}\p{Mn}][\p{L}\p{Mn}\p{Nd}'\u2019]*/gu, (word) => {
    if (word.length > 1 && word === upper(word) && word !== lower(word)) return word;
    const [first = ""] = word;
    return (titleDigraphs.get(lower(first)) ?? upper(first)) + lower(word.slice(first.length));
  });
}

// letters of two parts; in title case only the first part is a capital
const titleDigraphs: ReadonlyMap<string, string> = new Map([
  ["\u01c6", "\u01c5"],
  ["\u01c9", "\u01c8"],
  ["\u01cc", "\u01cb"],
  ["\u01f3", "\u01f2"],
]);

/** Writes a text as a JSON string. */
function jsonEncode(value: string): string {
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const xmlEscapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function xmlEncode(value: string): string {
  return value.replace(/[&<>]/g, (character) => xmlEscapes[character] ?? character);
}
