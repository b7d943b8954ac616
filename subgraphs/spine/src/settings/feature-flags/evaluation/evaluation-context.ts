import { isKeptNumber, numberText } from "@factory/runtime/json/kept-numbers";
import { numberOrder } from "@factory/runtime/json/number-order";
import { parseDate, parseNumber, parseSemver, type Semver } from "./attribute-values.js";

/** An attribute's longest text, which bounds the work for the rules that search in it. */
const maxTextLength = 2048;
const maxAttributes = 200;

/** The attributes for one evaluation. An attribute that is null, a list or an object counts as absent. */
export class EvaluationContext {
  readonly #attributes: Readonly<Record<string, unknown>>;
  readonly #now: () => number;
  readonly #folded = new Map<string, string | undefined>();
  readonly #numbers = new Map<string, number | undefined>();
  readonly #versions = new Map<string, Semver | undefined>();
  readonly #dates = new Map<string, number | undefined>();
  readonly #parts: Partial<Record<PartName, TextParts>> = {};
  #readAt: number | undefined;
  #targetingBytes: Buffer | undefined;

  private constructor(attributes: Readonly<Record<string, unknown>>, now: () => number) {
    this.#attributes = attributes;
    this.#now = now;
  }

  /** The context in a request, or the reason why it is refused. Absent stands for a context without attributes. */
  static read(input: unknown, now: () => number = Date.now): EvaluationContext | string {
    if (input === undefined || input === null) return new EvaluationContext({}, now);
    if (typeof input !== "object" || Array.isArray(input) || isKeptNumber(input))
      return "The member context must be an object.";
    const attributes = input as Readonly<Record<string, unknown>>;
    const names = Object.keys(attributes);
    if (names.length > maxAttributes) return `The context may have at most ${maxAttributes} members.`;
    for (const name of names) {
      const value = attributes[name];
      const text = isKeptNumber(value) ? value.rawJSON : value;
      if (typeof text === "string" && text.length > maxTextLength)
        return `The member ${name.slice(0, 100)} of the context must have at most ${maxTextLength} characters.`;
    }
    const { targetingKey } = attributes;
    if (targetingKey !== undefined && targetingKey !== null && typeof targetingKey !== "string")
      return "The member targetingKey of the context must be a string.";
    return new EvaluationContext(attributes, now);
  }

  /** The UTF-8 bytes in targetingKey; empty if it is absent. */
  get targetingBytes(): Uint8Array {
    this.#targetingBytes ??= Buffer.from(this.text("targetingKey") ?? "");
    return this.#targetingBytes;
  }

  text(attribute: string): string | undefined {
    const value = this.#own(attribute);
    if (typeof value === "string") return value;
    return typeof value === "boolean" ? String(value) : comparedText(value);
  }

  /** The text in lower case. */
  foldedText(attribute: string): string | undefined {
    return once(this.#folded, attribute, () => this.text(attribute)?.toLowerCase());
  }

  /** The first characters; undefined if the text has fewer. `isFolded`: in lower case. */
  beginning(attribute: string, length: number, isFolded: boolean): string | undefined {
    const parts = (this.#parts[isFolded ? "foldedBeginning" : "beginning"] ??= new TextParts((text, length) =>
      text.slice(0, length),
    ));
    return parts.of(attribute, isFolded ? this.foldedText(attribute) : this.text(attribute), length);
  }

  /** The last characters; undefined if the text has fewer. `isFolded`: in lower case. */
  ending(attribute: string, length: number, isFolded: boolean): string | undefined {
    const parts = (this.#parts[isFolded ? "foldedEnding" : "ending"] ??= new TextParts((text, length) =>
      text.slice(text.length - length),
    ));
    return parts.of(attribute, isFolded ? this.foldedText(attribute) : this.text(attribute), length);
  }

  number(attribute: string): number | undefined {
    return once(this.#numbers, attribute, () => parseNumber(this.text(attribute) ?? ""));
  }

  semver(attribute: string): Semver | undefined {
    return once(this.#versions, attribute, () => parseSemver(this.text(attribute) ?? ""));
  }

  /** Epoch milliseconds. The attribute currentTime is the evaluation's time where the context has none. */
  date(attribute: string): number | undefined {
    const value = this.#own(attribute);
    if (typeof value === "number") return value;
    if (isKeptNumber(value)) return Number(value.rawJSON);
    if (typeof value === "string") return once(this.#dates, attribute, () => parseDate(value));
    return attribute === "currentTime" && value === undefined ? this.#time() : undefined;
  }

  /** The same text for equal contexts with members in the same order. */
  toJSON(): unknown {
    return this.#attributes;
  }

  /** The same for all rules, also where the evaluation takes several turns in the event loop. */
  #time(): number {
    this.#readAt ??= this.#now();
    return this.#readAt;
  }

  #own(attribute: string): unknown {
    return Object.hasOwn(this.#attributes, attribute) ? this.#attributes[attribute] : undefined;
  }
}

type PartName = "beginning" | "foldedBeginning" | "ending" | "foldedEnding";

/** Attribute values' beginnings or endings. Thousands of rules may compare the same one, so each is cut once. */
class TextParts {
  readonly #cut: (text: string, length: number) => string;
  readonly #known = new Map<string, (string | undefined)[]>();

  constructor(cut: (text: string, length: number) => string) {
    this.#cut = cut;
  }

  of(attribute: string, text: string | undefined, length: number): string | undefined {
    if (text === undefined || text.length < length) return undefined;
    let parts = this.#known.get(attribute);
    if (!parts) {
      parts = [];
      this.#known.set(attribute, parts);
    }
    parts[length] ??= this.#cut(text, length);
    return parts[length];
  }
}

/** Many rules may compare one attribute, so its text is parsed once. */
function once<T>(parsedValues: Map<string, T>, attribute: string, parse: () => T): T {
  const storedValue = parsedValues.get(attribute);
  if (storedValue !== undefined || parsedValues.has(attribute)) return storedValue as T;
  const parsedValue = parse();
  parsedValues.set(attribute, parsedValue);
  return parsedValue;
}

/** A number as JavaScript writes it, so that 5.0 is `5`. One that JavaScript cannot hold stays as it was sent. */
function comparedText(value: unknown): string | undefined {
  if (!isKeptNumber(value)) return numberText(value);
  const number = Number(value.rawJSON);
  return numberOrder(value, number) === 0 ? String(number) : value.rawJSON;
}
