import { rcompare, SemVer } from "semver";

const strictForm = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/**
 * Parses SemVer 2.0.0 without a leading `v`; undefined for any other text. `precedence` is the version without build
 * metadata.
 */
export function parseSemanticVersion(text: string): { precedence: string } | undefined {
  if (text.length > 100 || !strictForm.test(text)) return undefined;
  try {
    return { precedence: new SemVer(text).version };
  } catch {
    return undefined;
  }
}

/** Compares by SemVer precedence (section 11), the highest first. */
export function newestFirst(a: { semanticVersion: string }, b: { semanticVersion: string }): number {
  return rcompare(a.semanticVersion, b.semanticVersion);
}
