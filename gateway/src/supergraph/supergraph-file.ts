import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SupergraphCandidate } from "./supergraph-check.js";

const pollMs = 2000;
const extension = ".graphql";

/**
 * An operator's supergraph: a file with the supergraph SDL, or a folder with each subgraph's SDL (for example
 * `catalog.graphql`), which are then composed. The files are polled, since mounted files often send no change events.
 */
export class SupergraphFile {
  readonly #path: string;
  readonly #pollMs: number;
  /** The files' state at the last `read`. */
  #read: string | undefined;

  constructor(path: string, options: { pollMs?: number } = {}) {
    this.#path = path;
    this.#pollMs = options.pollMs ?? pollMs;
  }

  /** Throws when the file or a file in the folder cannot be read. */
  async read(): Promise<SupergraphCandidate> {
    this.#read = await this.#fingerprint();
    const files = await this.#files();
    if (!files) return { supergraphSdl: await readFile(this.#path, "utf8") };
    const sdls = files.map(async (file) => [basename(file, extension), await readFile(file, "utf8")] as const);
    return { subgraphSdls: Object.fromEntries(await Promise.all(sdls)) };
  }

  /**
   * Calls `onChange` when the files differ from the last `read` and two polls in a row saw the same state. The second
   * poll makes sure that no half-written file is read. Returns a function that stops the polling.
   */
  watch(onChange: () => void): () => void {
    let last: string | undefined;
    const look = async () => {
      const fingerprint = await this.#fingerprint().catch(() => undefined);
      if (fingerprint !== undefined && fingerprint === last && fingerprint !== this.#read) onChange();
      last = fingerprint;
    };
    const timer = setInterval(() => void look(), this.#pollMs).unref();
    return () => clearInterval(timer);
  }

  /** Returns a folder's files, or undefined when the path is a single file. */
  async #files(): Promise<string[] | undefined> {
    if (!(await stat(this.#path)).isDirectory()) return undefined;
    const names = await readdir(this.#path);
    return names
      .filter((name) => name.endsWith(extension))
      .sort()
      .map((name) => join(this.#path, name));
  }

  async #fingerprint(): Promise<string> {
    const files = (await this.#files()) ?? [this.#path];
    const states = files.map(async (file) => {
      const { ino, size, mtimeMs } = await stat(file);
      return [file, ino, size, mtimeMs].join(" ");
    });
    return (await Promise.all(states)).join("\n");
  }
}
