import type { FileTree } from "../files/file-tree.js";
import { parseJsonc } from "../json/jsonc.js";
import { decodeText } from "../text/encodings.js";

/** Texts of one culture by their keys, as `symbols/Framework/description`. */
export type LocalizedTexts = Readonly<Record<string, string>>;

const localizationFile = /^\.template\.config\/localize\/templatestrings\.([A-Za-z0-9-]{1,35})\.json$/;
const localizedProperties = /^(?:name|description|author|symbols\/.+)$/;

// bounds against hostile packages, far above what templates have
const maxCultures = 60;
const maxFileBytes = 128 * 1024;

/** Localized texts of a template by culture. A file that does not hold an object of texts is ignored as a whole, as dotnet does. */
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
 * Cultures to look for, the nearest first (BCP 47 lookup, RFC 4647 section 3.4): the locale, what remains of it without
 * its last parts, and what it stands for by its script or its usual region. Undefined: the tag is malformed.
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

/** The texts of the first culture of the chain that there is. */
export function localizedTexts(
  cultures: Readonly<Record<string, LocalizedTexts>>,
  chain: readonly string[],
): { culture: string; texts: LocalizedTexts } | undefined {
  const known = new Map(
    Object.entries(cultures).map(([culture, texts]) => [culture.toLowerCase(), { culture, texts }]),
  );
  return chain.map((culture) => known.get(culture.toLowerCase())).find((found) => found !== undefined);
}
