import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { BackupFolder } from "./backup-folder.js";
import type { Part } from "./manifest.js";
import { Progress } from "./progress.js";

const passphrase = "correct horse battery staple";
let place: string;
let progress: Progress;

beforeEach(async () => {
  place = join(await mkdtemp(join(tmpdir(), "backup-folder-")), "backup");
  progress = new Progress(() => undefined);
});
afterEach(async () => {
  progress.end();
  await rm(join(place, ".."), { recursive: true });
});

const facts = { format: 1 as const, id: "one", createdAt: "2026-01-01T00:00:00.000Z", release: "1.0.0", level: 1 };
const contentOf = (part: Part) => ({
  ...{ schemas: [], tables: [], sequences: [], keys: part },
  ...{ repositories: { count: 0, part }, files: { count: 0, part } },
});

async function aBackup(content = "the content"): Promise<Part> {
  const folder = await BackupFolder.make(place, passphrase, progress);
  const part = await folder.write("keys", Readable.from([content]));
  await folder.complete({ ...facts, ...contentOf(part) });
  return part;
}

const open = (phrase = passphrase) => BackupFolder.open(place, phrase, progress);

const readPart = async (part: Part) => (await open()).folder.readText(part);

describe("the folder of a backup", () => {
  it("is read with its passphrase, and closed to other accounts", async () => {
    const part = await aBackup();
    expect(await readPart(part)).toBe("the content");
    expect((await open()).manifest).toMatchObject(facts);
    expect((await stat(place)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(place)) expect((await stat(join(place, file))).mode & 0o777).toBe(0o600);
    expect((await readdir(place)).sort()).toEqual(["keys", "manifest.json"]);
  });

  it("must be new", async () => {
    await aBackup();
    await expect(BackupFolder.make(place, passphrase, progress)).rejects.toThrow("is not empty: name a new folder");
  });

  it("is refused with another passphrase", async () => {
    await aBackup();
    await expect(open("another passphrase")).rejects.toThrow("The passphrase is not that of the backup.");
  });

  it("is incomplete until its manifest is written", async () => {
    const folder = await BackupFolder.make(place, passphrase, progress);
    await folder.write("keys", Readable.from(["content"]));
    await writeFile(join(place, "manifest.json.unfinished"), "{");
    await expect(open()).rejects.toThrow("is not a complete backup: it has no manifest.json");
  });

  it("is refused when its manifest was changed", async () => {
    await aBackup();
    const file = join(place, "manifest.json");
    const manifest = await readFile(file, "utf8");
    for (const changedText of [manifest.replace('"release": "1.0.0"', '"release": "2.0.0"'), manifest.slice(0, -20)]) {
      await writeFile(file, changedText);
      await expect(open()).rejects.toThrow("has a manifest that was changed");
    }
  });

  it("is refused when a file is missing, shorter or changed", async () => {
    const part = await aBackup();
    const { folder } = await open();
    await expect(folder.verify(part)).resolves.toBeUndefined();
    const file = join(place, part.file);
    const content = await readFile(file);
    const flippedBytes = Buffer.from(content);
    flippedBytes[3] = (flippedBytes[3] ?? 0) ^ 1;
    for (const changedContent of [flippedBytes, content.subarray(0, -1)]) {
      await writeFile(file, changedContent);
      await expect(folder.verify(part)).rejects.toThrow("keys of the backup is damaged");
      await expect(readPart(part)).rejects.toThrow("keys of the backup is damaged");
    }
    await rm(file);
    await expect(folder.verify(part)).rejects.toThrow("keys of the backup is missing");
  });

  it("does not open a file in the place of another", async () => {
    const folder = await BackupFolder.make(place, passphrase, progress);
    const [first, other] = [
      await folder.write("table-one", Readable.from(["one"])),
      await folder.write("table-other", Readable.from(["other"])),
    ];
    await writeFile(join(place, "table-one"), await readFile(join(place, "table-other")));
    await expect(folder.read({ ...other, file: first.file }, new PassThrough().resume())).rejects.toThrow("is damaged");
  });
});
