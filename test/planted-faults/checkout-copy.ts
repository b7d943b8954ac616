import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { trackedFiles } from "../house/tracked-files.js";
import { occursOnce } from "./candidates.js";
import { done, ran } from "./command.js";
import type { Fault } from "./fault.js";

/** Makes the bundle. It stood in the gateway before; older commits do not have it. */
const launchers = ["gateway/platform/launch.mjs", "gateway/launch.mjs"];
const compilation = ["node_modules/typescript/bin/tsc", "-b"];

/**
 * A git worktree beside a checkout at one commit, with hard links to its packages. A link to the whole package folder
 * would lead to the checkout's own workspaces.
 */
export class CheckoutCopy {
  readonly folder: string;
  readonly #checkout: string;

  private constructor(checkout: string, folder: string) {
    this.#checkout = checkout;
    this.folder = folder;
  }

  static async create(checkout: string, commit = "HEAD"): Promise<CheckoutCopy> {
    const from = resolve(checkout);
    const folder = await mkdtemp(join(dirname(from), "planted-faults-"));
    const copy = new CheckoutCopy(from, folder);
    try {
      await done(["git", "worktree", "add", "--detach", "--force", folder, commit], from);
      await copy.#linkPackages();
      return copy;
    } catch (error) {
      await copy.remove();
      throw error;
    }
  }

  async #linkPackages(): Promise<void> {
    const folders = await done(
      ["find", ".", "-name", "node_modules", "-prune", "-not", "-path", "./.git/*"],
      this.#checkout,
    );
    for (const place of folders.split("\n").filter((line) => line !== "")) {
      await done(["cp", "-al", join(this.#checkout, place), join(this.folder, place)], this.#checkout);
      const cache = join(this.folder, place, ".cache");
      await rm(cache, { recursive: true, force: true });
      await mkdir(cache);
      // clusters are copied with their owner, since a server writes to them
      const clusters = join(this.#checkout, place, ".cache/factory-postgres");
      if (existsSync(clusters)) await done(["cp", "-a", clusters, cache], this.#checkout);
    }
  }

  async compile(): Promise<void> {
    await done([process.execPath, ...compilation], this.folder);
  }

  /** Makes what the whole-stack suites start. */
  async bundle(): Promise<void> {
    const launcher = launchers.find((path) => existsSync(join(this.folder, path)));
    if (launcher) await done([process.execPath, launcher, "build"], this.folder);
  }

  files(): string[] {
    return trackedFiles(this.folder);
  }

  read(file: string): Promise<string> {
    return readFile(join(this.folder, file), "utf8");
  }

  /** Changes the source and compiles it. The answer is the reason why that is not possible. */
  async plant({ file, find, replace }: Fault): Promise<string | undefined> {
    const text = await this.read(file).catch(() => "");
    if (!occursOnce(text, find)) return "the file does not have its text exactly once";
    await writeFile(
      join(this.folder, file),
      text.replace(find, () => replace),
    );
    const command = [process.execPath, ...compilation];
    const { code, output } = await ran(command, { folder: this.folder, limitMs: 600_000 });
    const reason = output.split("\n").find((line) => line.includes("error")) ?? output.split("\n")[0];
    return code === 0 ? undefined : `it does not compile: ${reason}`;
  }

  /** Takes the faults away again. The next compilation sees it. */
  async restore(): Promise<void> {
    await done(["git", "checkout", "--quiet", "--", "."], this.folder);
  }

  async remove(): Promise<void> {
    await done(["git", "worktree", "remove", "--force", this.folder], this.#checkout).catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }
}
