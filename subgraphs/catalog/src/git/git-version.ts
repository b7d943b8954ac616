import { GitError, git } from "./git.js";

const oldestVersion: readonly [number, number] = [2, 30];

/** Checked at start, so that a missing or old git is said once and not by every execution. */
export async function requireGit(): Promise<void> {
  const text = await git(["version"]).then(String, (error: unknown) => {
    if (error instanceof GitError) return "";
    throw error;
  });
  if (!isSupported(text)) {
    throw new Error(`git ${oldestVersion.join(".")} or newer is needed; found ${text.trim() || "none on the PATH"}`);
  }
}

/** Reads what `git version` says. */
export function isSupported(text: string): boolean {
  return isAtLeast(text, oldestVersion);
}

/** `core.fsync` came with 2.36 and put an end to `core.fsyncObjectFiles`, which newer versions warn about. */
export async function hasFsyncSetting(): Promise<boolean> {
  return isAtLeast(String(await git(["version"])), [2, 36]);
}

function isAtLeast(text: string, [leastMajor, leastMinor]: readonly [number, number]): boolean {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor);
}
