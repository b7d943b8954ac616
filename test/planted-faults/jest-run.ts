import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ran } from "./command.js";
import { type Failure, failureIn, flagsOf } from "./report.js";

const options = ["--bail", "--maxWorkers=2", "--runTestsByPath"];

/** Runs suites until one fails. `undefined` says that all have passed. */
export async function firstFailure(
  folder: string,
  suites: readonly string[],
  limitMs: number,
): Promise<Failure | "late" | undefined> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { scripts: { test: string } };
  const jest = [...flagsOf(manifest.scripts.test), "node_modules/jest/bin/jest.js"];
  const { code, output, isLate } = await ran([process.execPath, ...jest, ...options, ...suites], { folder, limitMs });
  if (isLate) return "late";
  return code === 0 ? undefined : failureIn(output);
}
