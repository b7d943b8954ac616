import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The root of the checkout, with a slash at its end. From `test/house` as from `test/dist/house`. */
export const root = fileURLToPath(
  new URL(import.meta.url.includes("/dist/") ? "../../../" : "../../", import.meta.url),
);

/** Every tracked or new file that git does not ignore, relative to `folder`. */
export async function trackedFiles(folder = root): Promise<string[]> {
  const { stdout } = await run("git", ["-C", folder, "ls-files", "-co", "--exclude-standard"], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return [...new Set(stdout.split("\n"))].filter((file) => file !== "" && existsSync(`${folder}/${file}`));
}

/** True for files that a tool writes. */
export const isGenerated = (file: string): boolean =>
  /\/(generated|migrations|dist)\//.test(file) || file.endsWith("package-lock.json");

/** True for tests and for files that only tests use. */
export const isForTests = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file) || file.startsWith("test/");
