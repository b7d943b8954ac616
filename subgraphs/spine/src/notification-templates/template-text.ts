import { beginning, plainText } from "./plain-text.js";

/** A part of a template: text, a value, or a section that is rendered for a value or for its absence. */
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
  /** The greatest number of characters of the result. */
  readonly maxLength: number;
  /** Makes the text of each value, after the characters that plain text cannot have were removed. */
  readonly escape?: (value: string) => string;
}

const maxDepth = 5;
/** The number of characters of a tag that an error shows. */
const shownLength = 100;
/** Nested sections over lists multiply, so parts and items count, whether they have a text or not. */
const maxSteps = 10_000;
/** Linear in the length of the text: spaces are cut later. */
const tag = /\{\{([#^/]?)([^{}]*)\}\}/g;
const pathForm = /^(?:\.|[A-Za-z][A-Za-z0-9_]{0,63}(?:\.[A-Za-z][A-Za-z0-9_]{0,63}){0,4})$/;

/**
 * Reads a template. `{{a.b}}` is a value, `{{#a}}…{{/a}}` is rendered for each item of a list or once for any other value
 * that is there, `{{^a}}…{{/a}}` where there is none, and `{{.}}` is the present item. Nothing else is a command.
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
  const [root, unclosed] = open;
  if (unclosed) throw new TemplateTextError(`The section "${unclosed.path}" is not closed.`);
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

function openSection(open: OpenSection[], path: string, inverted: boolean): void {
  if (open.length > maxDepth) throw new TemplateTextError(`Sections may be nested ${maxDepth} levels deep.`);
  open.push({ path, inverted, parts: [] });
}

function closeSection(open: [OpenSection, ...OpenSection[]], path: string): void {
  const closed = open.length > 1 ? open.pop() : undefined;
  if (!closed || closed.path !== path) throw new TemplateTextError(`"{{/${path}}}" closes a section that is not open.`);
  const { inverted, parts } = closed;
  innermost(open).parts.push({ kind: "section", path: membersOf(path), inverted, parts });
}

/** The names of a path; none for the present item. */
const membersOf = (path: string): string[] => (path === "." ? [] : path.split("."));

/** The text between two tags. */
function literal(text: string): string {
  if (text.includes("{{")) throw new TemplateTextError('A "{{" has no "}}".');
  return text;
}

/** Renders the template with the values. Throws TemplateTextError where the result is too long. */
export function renderTemplate(template: TemplateText, data: unknown, options: RenderOptions): string {
  const { maxLength, escape = (value) => value } = options;
  let [text, steps] = ["", 0];
  const step = () => {
    steps += 1;
    if (text.length > maxLength) throw new TemplateTextError(`The text is longer than ${maxLength} characters.`);
    if (steps > maxSteps) throw new TemplateTextError("The sections have too many items.");
  };
  const render = (parts: TemplateText, scopes: readonly unknown[]): void => {
    for (const part of parts) {
      if (part.kind === "text") text += part.text;
      else if (part.kind === "value") text += escape(plainText(scalarText(valueAt(scopes, part.path))));
      else
        for (const scope of scopesOf(valueAt(scopes, part.path), part.inverted)) {
          step();
          render(part.parts, [...scopes, scope]);
        }
      step();
    }
  };
  render(template, [data]);
  return text;
}

/** The scopes for which a section is rendered. */
function scopesOf(value: unknown, inverted: boolean): readonly unknown[] {
  const items = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
  return inverted ? (items.length === 0 ? [undefined] : []) : items;
}

const isAbsent = (value: unknown) => value === undefined || value === null || value === false || value === "";

/** The value at the path in the innermost scope that has its first member. Members of prototypes do not exist here. */
function valueAt(scopes: readonly unknown[], path: readonly string[]): unknown {
  const [first] = path;
  if (first === undefined) return scopes.at(-1);
  const scope = scopes.findLast((one) => isRecord(one) && Object.hasOwn(one, first));
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    scope,
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text of a value. Lists and objects have none. */
function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
