import { mentionedNames } from "@factory/template-engine/dependency-order";
import type { Finding } from "@factory/template-engine/finding";
import { isJsonArray, isJsonObject, type JsonValue } from "@factory/template-engine/json-value";
import type { TemplateSymbol } from "@factory/template-engine/template-config";
import { TemplateError } from "@factory/template-engine/template-error";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { ValueForms } from "@factory/template-engine/value-forms";
import type { TemplateTexts } from "../content/template-texts.js";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";

const reservedNames = "name";
/** Members that only people read, so that they cannot use a symbol. */
const prose = new Set(["description", "displayname", "text", "author"]);

interface Suspect {
  name: string;
  /** A file or a path must contain one of these texts. */
  contents: readonly string[];
  paths: readonly string[];
}

/** Finds symbols without effect: nothing mentions them, and the text that they replace is in no file. */
export function lintUsage({ config }: TemplatePack, texts: TemplateTexts, places: ConfigPlaces): Finding[] {
  const forms = new ValueForms(config.forms, "identity");
  let suspects = Array.from(config.symbols.values()).flatMap((symbol): Suspect[] => {
    const { name } = symbol;
    const others = textsOf(config.raw, ["symbols", name]);
    if (name === reservedNames || isMentioned(name, others)) return [];
    const targets = replacedTexts(symbol, forms);
    // `lintForms` reports a form that cannot be applied
    if (targets === undefined) return [];
    const isUsed = targets.paths.some((part) => [...texts.names, ...others].some((path) => path.includes(part)));
    return isUsed ? [] : [{ name, ...targets }];
  });
  for (const source of texts.texts) {
    if (suspects.length === 0) break;
    const { text } = source;
    suspects = suspects.filter(
      ({ name, contents }) => !contents.some((content) => text.includes(content)) && !isMentionedIn(name, text),
    );
  }
  return suspects.map(({ name, contents, paths }) => {
    const [token] = [...contents, ...paths];
    const message =
      token === undefined
        ? `The symbol "${name}" has no effect: no file, condition or other symbol mentions it.`
        : `The symbol "${name}" has no effect: it replaces "${token}", which is in no file.`;
    const suggestion = "Remove the symbol, or correct its name or the text that it replaces.";
    return finding("UnusedSymbol", message, { ...places.at("symbols", name), suggestion });
  });
}

function isMentioned(name: string, others: readonly string[]): boolean {
  // a reference by name, or a name inside a condition
  return others.some((text) => text === name || mentionedNames(text, [name]).length > 0);
}

/** A file may mention a symbol in a condition, as a property or by its bare name. */
function isMentionedIn(name: string, text: string): boolean {
  return text.includes(name) && mentionedNames(text.replace(/["']/g, " "), [name]).length > 0;
}

function replacedTexts(symbol: TemplateSymbol, forms: ValueForms): { contents: string[]; paths: string[] } | undefined {
  if (symbol.type === "computed") return { contents: [], paths: [] };
  const allForms = (text: string | null) =>
    text === null ? [] : [text, ...symbol.forms.flatMap((form) => forms.apply(form, text) || [])];
  try {
    return { contents: allForms(symbol.replaces), paths: allForms(symbol.fileRename) };
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/** All texts in the configuration, except those in one branch. */
function textsOf(value: JsonValue, except: readonly string[]): string[] {
  if (typeof value === "string") return [value];
  if (isJsonArray(value)) return value.flatMap((item) => textsOf(item, []));
  if (!isJsonObject(value)) return [];
  const [next, ...rest] = except;
  return Object.entries(value).flatMap(([key, item]) => {
    const matches = next !== undefined && (rest.length === 0 ? key === next : key.toLowerCase() === next);
    if (matches && rest.length === 0) return [];
    return prose.has(key.toLowerCase()) ? [] : textsOf(item, matches ? rest : []);
  });
}
