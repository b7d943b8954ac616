import { hash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { git } from "./git.js";

const deflated = promisify<Uint8Array, { level: number }, Buffer>(deflate);

export type FixtureFile = string | Uint8Array | { mode: "100755" | "120000" | "160000"; content: string };

interface FixtureCommit {
  message?: string;
  /** Null starts a new history; left out, the branch's head is the parent. */
  parent?: string | null;
}

interface TreeRow {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/**
 * A real bare repository in a temporary folder, for tests. Paths may be hostile: nothing checks them. Commits are written
 * without git, since a commit would take half a dozen processes.
 */
export class BareRepository {
  readonly #objectFormat: string;

  private constructor(
    readonly root: string,
    readonly folder: string,
    objectFormat: string,
  ) {
    this.#objectFormat = objectFormat;
  }

  static async create(options: { head?: string; objectFormat?: string } = {}): Promise<BareRepository> {
    const root = await mkdtemp(join(tmpdir(), "catalog-test-"));
    const folder = join(root, "repository.git");
    const { head = "main", objectFormat = "sha1" } = options;
    await git(["init", "--quiet", "--bare", `--object-format=${objectFormat}`, `--initial-branch=${head}`, folder]);
    return new BareRepository(root, folder, objectFormat);
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
    const parents = parent === null ? "" : `parent ${parent}\n`;
    const signature = `Test <test@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
    const message = `${options.message ?? "test"}\n`.replace(/\n\n$/, "\n");
    const text = `tree ${tree}\n${parents}author ${signature}\ncommitter ${signature}\n\n${message}`;
    const commit = await this.#write("commit", Buffer.from(text));
    await this.#replace(this.#refFile(branch), `${commit}\n`);
    return commit;
  }

  async head(branch: string): Promise<string | null> {
    const file = this.#refFile(branch);
    if (existsSync(file)) return (await readFile(file, "utf8")).trim();
    if (!existsSync(join(this.folder, "packed-refs"))) return null;
    const objectIds = await this.text("for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`);
    return objectIds === "" ? null : objectIds;
  }

  /** Mode and content by path at a revision. */
  async files(revision: string): Promise<Record<string, string>> {
    const files = await this.contents(revision);
    return Object.fromEntries(files.map(({ path, mode, bytes }) => [path, `${mode} ${bytes.toString("utf8")}`]));
  }

  /** All files at a revision with their bytes. */
  async contents(revision: string): Promise<{ path: string; mode: string; bytes: Buffer }[]> {
    const rows = (await this.text("ls-tree", "-r", "-z", revision)).split("\0").filter(Boolean);
    const entries = rows.map((row) => {
      const [head = "", path = ""] = row.split("\t");
      const [mode = "", , id = ""] = head.split(" ");
      return { path, mode, id };
    });
    const output = await this.run(["cat-file", "--batch"], entries.map(({ id }) => `${id}\n`).join(""));
    let at = 0;
    return entries.map(({ path, mode }) => {
      const begin = output.indexOf("\n", at) + 1;
      const size = Number(output.toString("latin1", at, begin).split(" ")[2]);
      at = begin + size + 1;
      return { path, mode, bytes: output.subarray(begin, begin + size) };
    });
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  async #writeTree(files: [string[], FixtureFile][]): Promise<string> {
    const folders = new Map<string, [string[], FixtureFile][]>();
    const rows: TreeRow[] = [];
    for (const [[name = "", ...rest], file] of files) {
      if (rest.length > 0) folders.set(name, [...(folders.get(name) ?? []), [rest, file]]);
      else rows.push(await this.#writeRow(name, file));
    }
    for (const [name, inner] of folders) rows.push({ mode: "40000", name, id: await this.#writeTree(inner) });
    // git sorts a folder as if its name ended in a slash
    const place = ({ mode, name }: TreeRow) => Buffer.from(mode === "40000" ? `${name}/` : name);
    const sorted = rows.toSorted((one, other) => Buffer.compare(place(one), place(other)));
    const entries = sorted.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
    return this.#write("tree", Buffer.concat(entries));
  }

  async #writeRow(name: string, file: FixtureFile): Promise<TreeRow> {
    const plain = typeof file === "string" || file instanceof Uint8Array;
    if (!plain && file.mode === "160000") return { mode: file.mode, name, id: file.content };
    const id = await this.#write("blob", Buffer.from(plain ? file : file.content));
    return { mode: plain ? "100644" : file.mode, name, id };
  }

  /** Writes a loose object as git does, but does not compress it, which is most of the work for a large one. */
  async #write(type: "blob" | "tree" | "commit", content: Uint8Array): Promise<string> {
    const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const id = hash(this.#objectFormat, object, "hex");
    const file = join(this.folder, "objects", id.slice(0, 2), id.slice(2));
    if (!existsSync(file)) await this.#replace(file, await deflated(object, { level: 0 }));
    return id;
  }

  #refFile(branch: string): string {
    return join(this.folder, "refs/heads", branch);
  }

  /** Git may read the file at the same time. */
  async #replace(file: string, content: Uint8Array | string): Promise<void> {
    const temporaryFile = join(this.folder, randomUUID());
    await writeFile(temporaryFile, content);
    await mkdir(dirname(file), { recursive: true });
    await rename(temporaryFile, file);
  }
}
