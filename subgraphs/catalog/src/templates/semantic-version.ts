import { rcompare, SemVer } from "semver";

const strictForm = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** SemVer 2.0.0 without a leading `v`; undefined for anything else. */
export function parseSemanticVersion(text: string): { precedence: string } | undefined {
  if (text.length > 100 || !strictForm.test(text)) return undefined;
  try {
    return { precedence: new SemVer(text).version };
  } catch {
    return undefined;
  }
}

/** Order of SemVer section 11, highest first. */
export function newestFirst(a: { semanticVersion: string }, b: { semanticVersion: string }): number {
  return rcompare(a.semanticVersion, b.semanticVersion);
}
