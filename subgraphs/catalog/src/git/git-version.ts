import { GitError, git } from "./git.js";

const OLDEST: readonly [number, number] = [2, 30];

/** Checked at start, so that a missing or old git is said once and not by every execution. */
export async function requireGit(): Promise<void> {
  const text = await git(["version"]).then(String, (error: unknown) => {
    if (error instanceof GitError) return "";
    throw error;
  });
  if (!isSupported(text)) {
    throw new Error(`git ${OLDEST.join(".")} or newer is needed; found ${text.trim() || "none on the PATH"}`);
  }
}

/** Reads what `git version` says. */
export function isSupported(text: string): boolean {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(text) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST;
  return Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
}
