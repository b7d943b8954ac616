import type { FileTree } from "../files/file-tree.js";
import { parseJsonc } from "../json/jsonc.js";
import { decodeText } from "../text/encodings.js";

/** One culture's texts by key, for example `symbols/Framework/description`. */
export type LocalizedTexts = Readonly<Record<string, string>>;

const localizationFile = /^\.template\.config\/localize\/templatestrings\.([A-Za-z0-9-]{1,35})\.json$/;
const localizedProperties = /^(?:name|description|author|symbols\/.+)$/;

// limits against hostile packages; real templates stay far below them
const maxCultures = 60;
const maxFileBytes = 128 * 1024;

/** Reads a template's localized texts by culture. As in dotnet new, a file with any other content is ignored. */
export function readLocalizations(files: FileTree): Map<string, LocalizedTexts> {
  const cultures = new Map<string, LocalizedTexts>();
  for (const [path, { bytes }] of files) {
    const culture = localizationFile.exec(path)?.[1];
    if (culture === undefined || bytes.length > maxFileBytes || cultures.size === maxCultures) continue;
    const { value } = parseJsonc(decodeText(bytes));
    const entries = Object.entries(value ?? {});
    if (entries.length === 0 || entries.some(([, text]) => typeof text !== "string")) continue;
    cultures.set(
      culture,
      Object.fromEntries(entries.filter(([key]) => localizedProperties.test(key))) as LocalizedTexts,
    );
  }
  return cultures;
}

/**
 * The cultures to look for, the nearest first (BCP 47 lookup, RFC 4647 section 3.4): the locale, the locale without its
 * last parts, and the cultures that its script or its default region imply. Undefined when the tag is malformed.
 */
export function localeFallbacks(locale: string): string[] | undefined {
  let full: Intl.Locale;
  try {
    full = new Intl.Locale(locale);
  } catch {
    return undefined;
  }
  const { language } = full;
  const chain = truncated(full.baseName);
  const { script, region } = full.maximize();
  const likely = [`${language}-${script}-${region}`, `${language}-${script}`];
  if (full.region === undefined) likely.push(`${language}-${region}`);
  return [...new Set([...chain.slice(0, -1), ...likely, language])];
}

function truncated(tag: string): string[] {
  const parts = tag.split("-");
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("-"));
}

/** The texts for the first culture in the list that the template has. */
export function localizedTexts(
  cultures: Readonly<Record<string, LocalizedTexts>>,
  chain: readonly string[],
): { culture: string; texts: LocalizedTexts } | undefined {
  const byCulture = new Map(
    Object.entries(cultures).map(([culture, texts]) => [culture.toLowerCase(), { culture, texts }]),
  );
  return chain.map((culture) => byCulture.get(culture.toLowerCase())).find((match) => match !== undefined);
}
