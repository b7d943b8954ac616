import { asciiUrl } from "../internet-names/ascii-url.js";
import { asciiDomain } from "../internet-names/host-name.js";
import { mailAddress } from "../internet-names/mail-address.js";
import { isKeptNumber } from "../json/kept-numbers.js";
import type { JsonSchema } from "./input-schema.js";

type Convert = (value: unknown) => unknown;

/** A format's one form for a value; undefined for a text that has none. */
export const canonicalTexts: Readonly<Record<string, (text: string) => string | undefined>> = {
  "idn-email": mailAddress,
  "idn-hostname": asciiDomain,
  iri: asciiUrl,
};

const asItIs: Convert = (value) => value;

/**
 * Compiles a function that gives each address, host name and URL in a value the form in which the platform stores and
 * compares it. A text without such a form stays, and a validator refuses it. A value without a change is returned itself.
 */
export function canonicalForm(schema: JsonSchema): Convert {
  const { format, items, properties, anyOf } = schema as {
    format?: string;
    items?: JsonSchema;
    properties?: Record<string, JsonSchema>;
    anyOf?: JsonSchema[];
  };
  const canonical = format === undefined ? undefined : canonicalTexts[format];
  const steps = [
    ...(canonical ? [(value: unknown) => (typeof value === "string" ? (canonical(value) ?? value) : value)] : []),
    ...(items ? [listForm(canonicalForm(items))] : []),
    ...(properties ? [membersForm(properties)] : []),
    ...(anyOf ?? []).map(canonicalForm),
  ].filter((step) => step !== asItIs);
  if (steps.length === 0) return asItIs;
  return (value) => steps.reduce((form, step) => step(form), value);
}

function listForm(convert: Convert): Convert {
  if (convert === asItIs) return asItIs;
  return (value) => {
    if (!Array.isArray(value)) return value;
    const items = value.map(convert);
    return items.some((item, place) => item !== value[place]) ? items : value;
  };
}

function membersForm(properties: Readonly<Record<string, JsonSchema>>): Convert {
  const members = Object.entries(properties)
    .map(([name, schema]) => [name, canonicalForm(schema)] as const)
    .filter(([, convert]) => convert !== asItIs);
  if (members.length === 0) return asItIs;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || isKeptNumber(value)) return value;
    const changes = members.flatMap(([name, convert]) => {
      if (!Object.hasOwn(value, name)) return [];
      const member: unknown = Reflect.get(value, name);
      const form = convert(member);
      return form === member ? [] : [[name, form] as const];
    });
    return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
  };
}
