import { isKeptNumber, numberText } from "@factory/runtime/json/kept-numbers";
import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";
import { beginning, plainText } from "./plain-text.js";

/** A template part: text, a value, or a section that is rendered for a value or for its absence. */
type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly path: readonly string[] }
  | {
      readonly kind: "section";
      readonly path: readonly string[];
      /** Whether the section is rendered where the value is absent. */
      readonly inverted: boolean;
      readonly parts: readonly Part[];
    };

/** A template that was read. */
export type TemplateText = readonly Part[];

/** A template that cannot be read, or that renders to more than its limit. */
export class TemplateTextError extends Error {
  override readonly name = "TemplateTextError";
}

export interface RenderOptions {
  /** The greatest number of characters in the result. */
  readonly maxLength: number;
  /** Shared by all texts in one message, whose steps it counts together. Absent where one text is rendered alone. */
  readonly count?: StepCount;
}

/** The parts and items that were rendered. Nested sections over lists multiply, so they count, whether they have a text or not. */
export class StepCount {
  steps = 0;
}

const maxDepth = 5;
/** The number of characters that an error shows from a tag. */
const shownLength = 100;
const maxSteps = 10_000;
const stepsBetweenPauses = 250;
/** A value with this length is read once, however often the template shows it. */
const longValue = 50;
/** Linear in the text's length: spaces are cut later. */
const tag = /\{\{([#^/]?)([^{}]*)\}\}/g;
const pathForm = /^(?:\.|[A-Za-z][A-Za-z0-9_]{0,63}(?:\.[A-Za-z][A-Za-z0-9_]{0,63}){0,4})$/;

/**
 * Reads a template. `{{a.b}}` is a value. `{{#a}}…{{/a}}` is rendered for each item in a list, or once for any other
 * value. `{{^a}}…{{/a}}` is rendered without a value, and `{{.}}` is the present item. Nothing else is a command.
 */
export function readTemplate(source: string): TemplateText {
  const open: [OpenSection, ...OpenSection[]] = [{ path: "", inverted: false, parts: [] }];
  let at = 0;
  for (const { 0: whole, 1: sign = "", 2: inner = "", index } of source.matchAll(tag)) {
    const [{ parts }, path] = [innermost(open), inner.trim()];
    if (index > at) parts.push({ kind: "text", text: literal(source.slice(at, index)) });
    at = index + whole.length;
    if (!pathForm.test(path)) throw unreadable(whole);
    if (sign === "") parts.push({ kind: "value", path: membersOf(path) });
    else if (sign === "/") closeSection(open, path);
    else openSection(open, path, sign === "^");
  }
  const [root, unclosedSection] = open;
  if (unclosedSection) throw new TemplateTextError(`The section "${unclosedSection.path}" is not closed.`);
  return [...root.parts, { kind: "text", text: literal(source.slice(at)) }];
}

const unreadable = (whole: string) =>
  new TemplateTextError(`"${beginning(whole, shownLength)}" does not name a value.`);

/** A section that was opened. The first one is the whole template. */
interface OpenSection {
  readonly path: string;
  readonly inverted: boolean;
  readonly parts: Part[];
}

const innermost = (open: readonly [OpenSection, ...OpenSection[]]): OpenSection => open.at(-1) ?? open[0];

function openSection(open: OpenSection[], path: string, isInverted: boolean): void {
  if (open.length > maxDepth) throw new TemplateTextError(`Sections may be nested ${maxDepth} levels deep.`);
  open.push({ path, inverted: isInverted, parts: [] });
}

function closeSection(open: [OpenSection, ...OpenSection[]], path: string): void {
  const closedSection = open.length > 1 ? open.pop() : undefined;
  if (!closedSection || closedSection.path !== path)
    throw new TemplateTextError(`"{{/${path}}}" closes a section that is not open.`);
  const { inverted, parts } = closedSection;
  innermost(open).parts.push({ kind: "section", path: membersOf(path), inverted, parts });
}

/** The names in a path; none for the present item. */
const membersOf = (path: string): string[] => (path === "." ? [] : path.split("."));

/** The text between two tags. */
function literal(text: string): string {
  if (text.includes("{{")) throw new TemplateTextError('A "{{" has no "}}".');
  return text;
}

/** Renders the template with the values. Throws TemplateTextError where the result is too long. */
export const renderTemplate = (template: TemplateText, data: unknown, options: RenderOptions): string =>
  doAtOnce(rendering(template, data, options));

/** Renders the template with pauses. */
export function* rendering(template: TemplateText, data: unknown, options: RenderOptions): PausableWork<string> {
  const { maxLength, count = new StepCount() } = options;
  const shownValues = new Map<string, string>();
  let text = "";
  const step = (): boolean => {
    count.steps += 1;
    if (text.length > maxLength) throw new TemplateTextError(`The text is longer than ${maxLength} characters.`);
    if (count.steps > maxSteps) throw new TemplateTextError("The sections have too many items.");
    return count.steps % stepsBetweenPauses === 0;
  };
  const render = function* (parts: TemplateText, scopes: readonly unknown[]): PausableWork<void> {
    for (const part of parts) {
      if (part.kind === "text") text += part.text;
      else if (part.kind === "value") text += shownValue(scalarText(valueAt(scopes, part.path)), shownValues);
      else
        for (const scope of scopesOf(valueAt(scopes, part.path), part.inverted)) {
          if (step()) yield;
          yield* render(part.parts, [...scopes, scope]);
        }
      if (step()) yield;
    }
  };
  yield* render(template, [data]);
  return text;
}

function shownValue(value: string, shownValues: Map<string, string>): string {
  if (value.length < longValue) return plainText(value);
  const before = shownValues.get(value);
  if (before !== undefined) return before;
  const text = plainText(value);
  shownValues.set(value, text);
  return text;
}

/** The scopes for which a section is rendered. */
function scopesOf(value: unknown, isInverted: boolean): readonly unknown[] {
  const items = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
  return isInverted ? (items.length === 0 ? [undefined] : []) : items;
}

const isAbsent = (value: unknown) => value === undefined || value === null || value === false || value === "";

/** The value at the path in the innermost scope that has its first member. Prototype members do not exist here. */
function valueAt(scopes: readonly unknown[], path: readonly string[]): unknown {
  const [first] = path;
  if (first === undefined) return scopes.at(-1);
  const scope = scopes.findLast((candidate) => isRecord(candidate) && Object.hasOwn(candidate, first));
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    scope,
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);

/** A value's text. Lists and objects have none. */
function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "boolean" ? String(value) : (numberText(value) ?? "");
}
