import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The compiler of this repository. Bundlers find modules without the end of their names, as generators write them. */
const compiler = pathOf("../../node_modules/typescript/bin/tsc");
const options = [
  ..."--strict --noEmit --target es2022 --module preserve --lib es2023,dom,dom.iterable --types node".split(" "),
  ...["--typeRoots", pathOf("../../node_modules/@types"), "--ignoreConfig"],
  // the declarations of relay-runtime have errors
  "--skipLibCheck",
];

/** A new folder below this one, so that generators find their plugins there, and the compiler what code imports. */
export async function aCodeFolder(): Promise<string> {
  const dist = pathOf("dist/");
  await mkdir(dist, { recursive: true });
  return mkdtemp(join(dist, "code-"));
}

/** Compiles a file with this text, and what it imports. Throws what the compiler says. */
export async function compile(folder: string, text: string): Promise<void> {
  await writeFile(join(folder, "compiled.ts"), text);
  await promisify(execFile)(process.execPath, [compiler, "compiled.ts", ...options], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)),
  );
}
