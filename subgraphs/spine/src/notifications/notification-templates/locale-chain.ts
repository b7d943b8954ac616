/** RFC 5646, section 4.4.1, asks for at least 35 characters. */
const maxTagLength = 35;

/** A language tag's canonical form (BCP 47), or undefined where the text is not one. */
function canonicalLocale(tag: string): string | undefined {
  if (tag.length > maxTagLength) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/**
 * The locales in which a text is looked up, the nearest first: each tag, followed by its shorter forms (RFC 4647,
 * section 3.4), for example `de-CH-1996`, `de-CH`, `de`, `en`.
 */
export function localeChain(...tags: readonly (string | null | undefined)[]): string[] {
  const chain = tags.flatMap((tag) => (tag == null ? [] : shorterForms(canonicalLocale(tag))));
  return [...new Set(chain)];
}

function shorterForms(tag: string | undefined): string[] {
  const forms: string[] = [];
  for (let subtags = tag?.split("-") ?? []; subtags.length > 0; subtags = subtags.slice(0, -1))
    // a single letter begins an extension, and does not stand alone
    if (subtags.at(-1)?.length !== 1) forms.push(subtags.join("-"));
  return forms;
}
