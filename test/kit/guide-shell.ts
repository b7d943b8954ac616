import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bareEnvironment } from "@factory/platform/settings/environment";

interface ShellAnswer {
  readonly output: string;
  /** One line for each command that failed, and everything that the commands wrote to the standard error. */
  readonly errors: string;
}

/** A command that fails says so, also where the next one succeeds. */
const sayFailures = "trap 'echo \"exit code $?: $BASH_COMMAND\" >&2' ERR";

/** A reader's terminal: one bash, so that a block's variables and functions are there in the next one. */
export class GuideShell {
  readonly #bash: ChildProcess;
  readonly #scratch: string;
  readonly #ends: AsyncIterator<string>;

  private constructor(cwd: string, scratch: string) {
    this.#scratch = scratch;
    this.#bash = spawn("bash", ["--norc"], { cwd, env: bareEnvironment(), stdio: ["pipe", "pipe", "inherit"] });
    const { stdout } = this.#bash;
    if (!stdout) throw new Error("bash has no output");
    this.#ends = createInterface({ input: stdout })[Symbol.asyncIterator]();
    this.#bash.stdin?.write("set -E\n");
  }

  static async open(cwd: string): Promise<GuideShell> {
    return new GuideShell(cwd, await mkdtemp(join(tmpdir(), "guide-shell-")));
  }

  async run(text: string): Promise<ShellAnswer> {
    const file = (name: string) => join(this.#scratch, name);
    await writeFile(file("block"), `${sayFailures}\n${text}\ntrap - ERR\n`);
    this.#bash.stdin?.write(
      `source "${file("block")}" > "${file("output")}" 2> "${file("errors")}" < /dev/null; echo end\n`,
    );
    const { done } = await this.#ends.next();
    if (done) throw new Error("bash has ended");
    const [output = "", errors = ""] = await Promise.all(
      ["output", "errors"].map((name) => readFile(file(name), "utf8")),
    );
    return { output, errors };
  }

  /** The value that a shell variable has. */
  async valueOf(name: string): Promise<string> {
    return (await this.run(`printf %s "$${name}"`)).output;
  }

  async close(): Promise<void> {
    this.#bash.stdin?.end();
    this.#bash.kill();
    await rm(this.#scratch, { recursive: true, force: true });
  }
}
