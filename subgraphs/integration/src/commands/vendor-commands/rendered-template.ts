import { DomainError } from "@factory/runtime/errors/domain-error";
import { isKeptNumber } from "@factory/runtime/json/kept-numbers";

type Json = Readonly<Record<string, unknown>>;

const maxValues = 20_000;
const maxBytes = 1024 * 1024;

/** Marks what has no value in the command, and so is left out. */
const absent = Symbol("absent");

/**
 * The template's body with the command's values. Strings in the command are never parsed or joined, so a value stays
 * one value. Throws VALIDATION_FAILED when the body becomes too large.
 */
export function renderedTemplate(body: unknown, command: Json): Json {
  const renderedBody = new Rendering(command).value(body, undefined) as Json;
  if (Buffer.byteLength(JSON.stringify(renderedBody)) > maxBytes) throw tooLarge();
  return renderedBody;
}

class Rendering {
  readonly #command: Json;
  #values = 0;

  constructor(command: Json) {
    this.#command = command;
  }

  value(template: unknown, item: unknown): unknown {
    this.#values += 1;
    if (this.#values > maxValues) throw tooLarge();
    if (typeof template !== "object" || template === null || isKeptNumber(template)) return template;
    if (Array.isArray(template)) return present(template.map((element) => this.value(element, item)));
    const members = template as Json;
    if ("$value" in members) return valueAt(this.#command, members["$value"]);
    if ("$item" in members) return valueAt(item, members["$item"]);
    if ("$when" in members)
      return valueAt(this.#command, members["$when"]) === absent ? absent : this.value(members["$then"], item);
    if ("$each" in members) {
      const list = valueAt(this.#command, members["$each"]);
      return Array.isArray(list) ? present(list.map((element) => this.value(members["$as"], element))) : absent;
    }
    const entries = Object.entries(members).map(([name, member]) => [name, this.value(member, item)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== absent));
  }
}

const present = (values: readonly unknown[]) => values.filter((value) => value !== absent);

/** The value at a JSON pointer. Null counts as absent, and so does an empty list. */
function valueAt(root: unknown, pointer: unknown): unknown {
  let value = root;
  for (const token of String(pointer).split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || isKeptNumber(value) || !Object.hasOwn(value, name))
      return absent;
    value = (value as Json)[name];
  }
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0) ? absent : value;
}

/** A body as a form: `a[b]` for members in objects, and `a[0]` for items in lists. */
export function formOf(body: Json): string {
  const form = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (typeof value === "object" && value !== null && !isKeptNumber(value))
      for (const [member, inner] of Object.entries(value)) add(`${name}[${member}]`, inner);
    else form.append(name, typeof value === "string" ? value : JSON.stringify(value ?? ""));
  };
  for (const [name, value] of Object.entries(body)) add(name, value);
  return form.toString();
}

const tooLarge = () =>
  new DomainError("VALIDATION_FAILED", { detail: "The request that the template makes of the command is too large." });
