import { GitError, git } from "./git.js";

const oldestVersion: readonly [number, number] = [2, 30];

/** Throws when git is missing or too old. Called at start, so that not every execution fails with it. */
export async function requireGit(): Promise<void> {
  const text = await git(["version"]).then(String, (error: unknown) => {
    if (error instanceof GitError) return "";
    throw error;
  });
  if (!isSupported(text)) {
    throw new Error(`git ${oldestVersion.join(".")} or newer is needed; found ${text.trim() || "none on the PATH"}`);
  }
}

/** Whether `git version` prints a supported version. */
export function isSupported(text: string): boolean {
  return isAtLeast(text, oldestVersion);
}

/**
 * Whether git has `core.fsync`. Version 2.36 replaced `core.fsyncObjectFiles` by it; newer versions warn about the old
 * name.
 */
export async function hasFsyncSetting(): Promise<boolean> {
  return isAtLeast(String(await git(["version"])), [2, 36]);
}

/** Whether `git pack-objects` takes pack names (`--stdin-packs`), which version 2.32 has added. */
export async function mergesChosenPacks(): Promise<boolean> {
  return isAtLeast(String(await git(["version"])), [2, 32]);
}

function isAtLeast(text: string, [leastMajor, leastMinor]: readonly [number, number]): boolean {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor);
}
