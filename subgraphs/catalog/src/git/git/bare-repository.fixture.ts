import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { git } from "./git.js";

export type FixtureFile = string | Uint8Array | { mode: "100755" | "120000" | "160000"; content: string };

interface FixtureCommit {
  message?: string;
  /** Null starts a new history; left out, the branch's head is the parent. */
  parent?: string | null;
}

/** A real bare repository in a temporary folder, for tests. Paths may be hostile: nothing checks them. */
export class BareRepository {
  /** The ids for the texts that were written, since each needs a process. */
  readonly #texts = new Map<string, string>();

  private constructor(
    readonly root: string,
    readonly folder: string,
  ) {}

  static async create(options: { head?: string; objectFormat?: string } = {}): Promise<BareRepository> {
    const root = await mkdtemp(join(tmpdir(), "catalog-test-"));
    const folder = join(root, "repository.git");
    const { head = "main", objectFormat = "sha1" } = options;
    await git(["init", "--quiet", "--bare", `--object-format=${objectFormat}`, folder]);
    await git(["symbolic-ref", "HEAD", `refs/heads/${head}`], { cwd: folder });
    return new BareRepository(root, folder);
  }

  get url(): string {
    return pathToFileURL(this.folder).href;
  }

  run(args: readonly string[], input?: Uint8Array | string): Promise<Buffer> {
    return git(args, { cwd: this.folder, ...(input !== undefined && { input }) });
  }

  async text(...args: string[]): Promise<string> {
    return (await this.run(args)).toString("utf8").trim();
  }

  /** The whole tree of the new commit; nothing is kept from its parent. */
  async commit(branch: string, files: Record<string, FixtureFile>, options: FixtureCommit = {}): Promise<string> {
    const tree = await this.#writeTree(Object.entries(files).map(([path, file]) => [path.split("/"), file]));
    const parent = options.parent === undefined ? await this.head(branch) : options.parent;
    const parents = parent === null ? [] : ["-p", parent];
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const commit = await this.text(...identity, "commit-tree", ...parents, "-m", options.message ?? "test", tree);
    await this.run(["update-ref", `refs/heads/${branch}`, commit]);
    return commit;
  }

  async head(branch: string): Promise<string | null> {
    const objectIds = await this.text("for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`);
    return objectIds === "" ? null : objectIds;
  }

  /** Mode and content by path at a revision. */
  async files(revision: string): Promise<Record<string, string>> {
    const rows = (await this.text("ls-tree", "-r", "-z", revision)).split("\0").filter(Boolean);
    const readEntry = async (row: string): Promise<[string, string]> => {
      const [head = "", path = ""] = row.split("\t");
      const [mode, , id = ""] = head.split(" ");
      return [path, `${mode} ${(await this.run(["cat-file", "blob", id])).toString("utf8")}`];
    };
    return Object.fromEntries(await Promise.all(rows.map(readEntry)));
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  async #writeTree(files: [string[], FixtureFile][]): Promise<string> {
    const folders = new Map<string, [string[], FixtureFile][]>();
    const rows: string[] = [];
    for (const [[name = "", ...rest], file] of files) {
      if (rest.length > 0) folders.set(name, [...(folders.get(name) ?? []), [rest, file]]);
      else rows.push(await this.#writeRow(name, file));
    }
    for (const [name, inner] of folders) rows.push(`040000 tree ${await this.#writeTree(inner)}\t${name}`);
    return (await this.run(["mktree", "-z", "--missing"], rows.map((row) => `${row}\0`).join("")))
      .toString("utf8")
      .trim();
  }

  async #writeRow(name: string, file: FixtureFile): Promise<string> {
    const plain = typeof file === "string" || file instanceof Uint8Array;
    if (!plain && file.mode === "160000") return `160000 commit ${file.content}\t${name}`;
    return `${plain ? "100644" : file.mode} blob ${await this.#writeBlob(plain ? file : file.content)}\t${name}`;
  }

  async #writeBlob(content: string | Uint8Array): Promise<string> {
    const storedId = typeof content === "string" ? this.#texts.get(content) : undefined;
    if (storedId !== undefined) return storedId;
    const id = (await this.run(["hash-object", "-w", "--stdin"], content)).toString("utf8").trim();
    if (typeof content === "string") this.#texts.set(content, id);
    return id;
  }
}
