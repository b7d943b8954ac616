import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The files that git tracks below a folder, as paths relative to the folder. With `withNew`, also those that git would
 * add. Tests about sources read tracked files only, so a script or a clone beside the code breaks nothing.
 */
export function trackedFilesIn(folder: URL | string, { withNew = false } = {}): string[] {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const options = withNew ? ["--cached", "--others", "--exclude-standard"] : ["--cached"];
  const gitOutput = execFileSync("git", ["-C", path, "ls-files", "-z", ...options], {
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  return [...new Set(gitOutput.split("\0"))].filter((file) => file !== "" && existsSync(join(path, file)));
}
