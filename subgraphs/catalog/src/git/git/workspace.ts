import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type GitOptions, git } from "./git.js";
import type { RemoteCredential } from "./remote-credential.js";
import { remoteEnvironment } from "./remote-environment.js";
import type { ReachableRemote } from "./remote-policy.js";
import { removeScratch, scratchFolder } from "./temporary-folder.js";

export type { RemoteCredential } from "./remote-credential.js";

interface WorkspaceOptions {
  remote: ReachableRemote;
  credential?: RemoteCredential | undefined;
  signal?: AbortSignal | undefined;
  /** The time for all commands in this workspace together. */
  timeoutMs: number;
}

// A local target's configuration could name a hooks folder, whose hooks would run as this process.
const localReceivePack = "git -c core.hooksPath=/dev/null receive-pack";
const sizeCheckIntervalMs = 100;

/** A temporary bare repository whose only remote is `origin`. It has no work tree. */
export class Workspace {
  readonly #options: WorkspaceOptions;
  readonly #env: Record<string, string>;
  /** Epoch milliseconds. */
  readonly #deadline: number;

  private constructor(
    readonly folder: string,
    options: WorkspaceOptions,
    env: Record<string, string>,
  ) {
    this.#options = options;
    this.#env = env;
    this.#deadline = Date.now() + options.timeoutMs;
  }

  static async open(options: WorkspaceOptions): Promise<Workspace> {
    const folder = await scratchFolder();
    try {
      const env = await remoteEnvironment(options.remote, options.credential, folder);
      return new Workspace(folder, options, env);
    } catch (error) {
      await removeScratch(folder);
      throw error;
    }
  }

  /** Writes the empty repository. It is called again when the remote has another object format. */
  async initialise(objectFormat: ObjectFormat): Promise<void> {
    await mkdir(join(this.folder, "objects", "pack"), { recursive: true, mode: 0o700 });
    await mkdir(join(this.folder, "refs"), { recursive: true, mode: 0o700 });
    const url = this.#options.remote.url.replace(/["\\]/g, "\\$&");
    const format =
      objectFormat === "sha256"
        ? "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
        : "\trepositoryformatversion = 0\n";
    // Over ssh this setting would be the command that the server runs.
    const receivePack = this.#options.remote.protocol === "file" ? `\treceivepack = ${localReceivePack}\n` : "";
    const remote = `[remote "origin"]\n\turl = "${url}"\n${receivePack}`;
    const config = `[core]\n\tbare = true\n${format}${remote}`;
    await writeFile(join(this.folder, "config"), config, { mode: 0o600 });
    await writeFile(join(this.folder, "HEAD"), "ref: refs/heads/main\n", { mode: 0o600 });
  }

  /** Runs a git command in this repository and returns its stdout. Throws GitError and FileOutage. */
  async git(
    args: readonly string[],
    options: Pick<GitOptions, "input" | "maxOutputBytes" | "signal" | "unpacks"> = {},
  ) {
    const settings = this.#options.remote.settings.flatMap((setting) => ["-c", setting]);
    const signals = [this.#options.signal, options.signal].filter((signal) => signal !== undefined);
    return git([...settings, ...args], {
      ...options,
      cwd: this.folder,
      env: this.#env,
      isLocalRemote: this.#options.remote.protocol === "file",
      timeoutMs: Math.max(1, this.#deadline - Date.now()),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    });
  }

  /** Runs a command that receives objects. Ends it and throws `tooLarge` when they exceed `maxBytes`. */
  async receive(args: readonly string[], limit: { maxBytes: number; tooLarge: Error; input?: string }): Promise<void> {
    const cut = new AbortController();
    const check = async () => {
      if ((await this.#packedBytes()) > limit.maxBytes) cut.abort(limit.tooLarge);
    };
    const timer = setInterval(() => void check(), sizeCheckIntervalMs);
    try {
      const input = limit.input === undefined ? {} : { input: limit.input };
      await this.git(args, { signal: cut.signal, unpacks: true, ...input });
    } finally {
      clearInterval(timer);
    }
    await check();
    cut.signal.throwIfAborted();
  }

  async #packedBytes(): Promise<number> {
    const packs = join(this.folder, "objects", "pack");
    const names = await readdir(packs).catch(() => []);
    // Git may rename a temporary pack at this moment.
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(packs, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Removes the repository from disk. */
  async close(): Promise<void> {
    await removeScratch(this.folder);
  }
}

/** The hash function for a repository's object ids. */
export type ObjectFormat = "sha1" | "sha256";

/** An id's object format, by its length. */
export function objectFormat(id: string | null): ObjectFormat {
  return id?.length === 64 ? "sha256" : "sha1";
}
