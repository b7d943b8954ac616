import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type ArchiveEntry, readArchive, writeArchive } from "./archive.js";
import { BackupFolder } from "./backup-folder.js";
import { Progress } from "./progress.js";

let place: string;
let progress: Progress;
let folder: BackupFolder;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "backup-archive-"));
  progress = new Progress(() => undefined);
  folder = await BackupFolder.make(join(place, "backup"), "correct horse battery", progress);
});
afterEach(async () => {
  progress.end();
  await rm(place, { recursive: true });
});

async function* listed(...entries: ArchiveEntry[]): AsyncGenerator<ArchiveEntry, void> {
  yield* entries;
}

const entry = (name: string, content: Buffer, size = content.length): ArchiveEntry => ({
  name,
  size,
  content: Readable.from([content.subarray(0, 5), content.subarray(5)]),
});

describe("an archive", () => {
  it("gives back its entries in their order, with their facts", async () => {
    const large = randomBytes(1_000_000);
    const long = `${"folder/".repeat(30)}file`;
    const facts = { "factory.branch": "main" };
    const archive = await writeArchive(
      folder,
      "files",
      listed(entry("large", large), { name: "empty", size: 0, facts }, entry(long, Buffer.from("short text"))),
    );
    expect(archive.count).toBe(3);
    const entries: unknown[] = [];
    const count = await readArchive(folder, archive.part, async ({ name, pax }, content) => {
      entries.push([name, pax?.["factory.branch"], (await buffer(content)).equals(large)]);
    });
    expect(count).toBe(3);
    expect(entries).toEqual([
      ["large", undefined, true],
      ["empty", "main", false],
      [long, undefined, false],
    ]);
  });

  it("fails when an entry is shorter than announced, when one cannot be read and when one cannot be taken", async () => {
    await expect(writeArchive(folder, "short", listed(entry("one", randomBytes(10), 20)))).rejects.toThrow();
    const brokenContent = new Readable({ read: () => brokenContent.destroy(new Error("The disk is gone")) });
    await expect(
      writeArchive(folder, "broken", listed({ name: "one", size: 5, content: brokenContent })),
    ).rejects.toThrow("The disk is gone");
    const { part } = await writeArchive(folder, "files", listed(entry("one", randomBytes(10))));
    const refuse = () => Promise.reject(new Error("The target is full"));
    await expect(readArchive(folder, part, refuse)).rejects.toThrow("The target is full");
  });
});
