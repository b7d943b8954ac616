import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { executed } from "../kit/executions.js";
import { platform } from "../kit/platform.js";
import { aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const run = promisify(execFile);
const config = JSON.stringify({ identity: "a", name: "a", shortName: "a", sourceName: "Old" });

interface Entry {
  readonly mode: string;
  readonly name: string;
  /** The object id in hex. A gitlink has a commit id that does not exist. */
  readonly id: string;
}

/** A repository with tree objects that are written byte by byte, because git refuses some names. */
async function hostileRepository(entries: (blob: (text: string) => string, tree: (of: Entry[]) => string) => Entry[]) {
  const repository = join(await mkdtemp(join(platform().dataDir, "hostile-")), "pack.git");
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const write = (type: string, input: string | Buffer) =>
    execFileSync("git", ["--git-dir", repository, "hash-object", "-w", "--literally", "-t", type, "--stdin"], { input })
      .toString()
      .trim();
  const blob = (text: string) => write("blob", text);
  const tree = (of: Entry[]) =>
    write(
      "tree",
      Buffer.concat(of.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")])),
    );
  const base: Entry[] = [
    {
      mode: "40000",
      name: ".template.config",
      id: tree([{ mode: "100644", name: "template.json", id: blob(config) }]),
    },
  ];
  const root = tree([...base, ...entries(blob, tree)]);
  const who = "x <x@localhost> 1700000000 +0000";
  const commit = write("commit", `tree ${root}\nauthor ${who}\ncommitter ${who}\n\nhostile\n`);
  await run("git", ["--git-dir", repository, "update-ref", "refs/heads/main", commit]);
  return `git+${pathToFileURL(repository).href}#main`;
}

const file = (name: string, id: string): Entry => ({ mode: "100644", name, id });
const folder = (name: string, id: string): Entry => ({ mode: "40000", name, id });

describe("a hostile template", () => {
  it.each<[string, Parameters<typeof hostileRepository>[0]]>([
    ["a parent folder", (blob, tree) => [folder("..", tree([file("canary.txt", blob("gone"))]))]],
    ["a slash in a name", (blob) => [file("../canary.txt", blob("gone"))]],
    ["an absolute name", (blob) => [file(join(tmpdir(), "canary.txt"), blob("gone"))]],
    ["a drive", (blob) => [file("C:canary.txt", blob("gone"))]],
    ["a .git folder", (blob, tree) => [folder(".git", tree([file("config", blob("gone"))]))]],
    ["a .GiT folder", (blob, tree) => [folder(".GiT", tree([file("config", blob("gone"))]))]],
    ["a reserved name", (blob) => [file("nul.txt", blob("gone"))]],
    [
      "two names that differ only in Unicode form",
      (blob) => [file("e\u0301.txt", blob("1")), file("\u00e9.txt", blob("2"))],
    ],
    ["a symbolic link", (blob) => [{ mode: "120000", name: "link", id: blob("/etc/passwd") }]],
    ["a submodule", () => [{ mode: "160000", name: "module", id: "1".repeat(40) }]],
    [
      "100,000 files",
      (blob, tree) => {
        const id = blob("x");
        const largeTree = tree(Array.from({ length: 100 }, (_, at) => file(`f${String(at).padStart(3, "0")}`, id)));
        return Array.from({ length: 1000 }, (_, at) => folder(`z${String(at).padStart(4, "0")}`, largeTree));
      },
    ],
  ])("with %s is refused, and files outside of its folder stay unchanged", async (_, entries) => {
    const token = await (await aTenant()).tokenWith();
    const source = await hostileRepository(entries);
    const canaries = [join(platform().dataDir, "canary.txt"), join(tmpdir(), "canary.txt")];
    for (const canary of canaries) await writeFile(canary, "alive");
    const version = await aTemplateVersion(token, source);
    const execution = await executed(token, version, { target: { repository: "acme/hostile" } });
    expect(execution).toMatchObject({
      status: "Failed",
      output: null,
      error: { code: expect.stringMatching(/^(SOURCE_UNSAFE|SOURCE_TOO_LARGE|SOURCE_UNAVAILABLE)$/) },
    });
    for (const canary of canaries) {
      expect(await readFile(canary, "utf8")).toBe("alive");
      await rm(canary);
    }
  });
});
