import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { isOutage } from "@factory/runtime/errors/unavailable";
import { PlatformFolder } from "@factory/runtime/files/platform-folder";
import { uuidV7 } from "@factory/runtime/identifiers/uuid-v7";
import { type ContentName, ContentTooLarge } from "./content-store.js";
import { FileContents } from "./file-contents.js";

let files: string;
let folder: string;
let contents: FileContents;
const aName = (fence = 1): ContentName => ({ tenant: uuidV7(), run: uuidV7(), fence });

async function* chunksOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function* failing(error: Error): AsyncGenerator<Buffer> {
  yield Buffer.from("a part");
  throw error;
}

beforeEach(async () => {
  files = await mkdtemp(join(tmpdir(), "contents-"));
  folder = join(files, "reports");
  contents = new FileContents(new PlatformFolder("FILES_DIR", files));
});
afterEach(() => rm(files, { recursive: true }));

async function allNames(): Promise<ContentName[]> {
  const names: ContentName[] = [];
  for await (const some of contents.all()) names.push(...some);
  return names;
}

const filesOf = ({ tenant }: ContentName) => readdir(join(folder, tenant));

describe("contents in files", () => {
  it("are stored as a whole, with their digest, for their owner only", async () => {
    const name = aName();
    const content = await contents.write(name, chunksOf("one,", "two"), 100);
    expect(content).toEqual({ sizeBytes: 7, sha256: createHash("sha256").update("one,two").digest("hex") });
    const file = await stat(join(folder, name.tenant, `${name.run}.1`));
    expect(file.mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, name.tenant))).mode & 0o777).toBe(0o700);
    const open = await contents.open(name);
    expect(open?.sizeBytes).toBe(7);
    expect(await text(open?.read(4, 6) ?? Readable.from([]))).toBe("two");
  });

  it("are not there before they are complete, nor after a failure", async () => {
    const name = aName();
    const error = new Error("no more rows");
    await expect(contents.write(name, failing(error), 100)).rejects.toBe(error);
    expect(await contents.open(name)).toBeUndefined();
    expect(await filesOf(name)).toEqual([]);
  });

  it("have at most the bytes that are allowed", async () => {
    const name = aName();
    await expect(contents.write(name, chunksOf("1234", "5678"), 7)).rejects.toThrow(ContentTooLarge);
    expect(await filesOf(name)).toEqual([]);
    expect((await contents.write(name, chunksOf("1234", "567"), 7)).sizeBytes).toBe(7);
  });

  it("are an outage on a full disk, and no other failure is", async () => {
    const full = Object.assign(new Error("no space left on device, write"), { code: "ENOSPC" });
    const refusal = await contents.write(aName(), failing(full), 100).catch((error: unknown) => error);
    expect(isOutage(refusal)).toBe(true);
    await rm(folder, { recursive: true });
    await writeFile(folder, "");
    const failure = await contents.write(aName(), chunksOf("1"), 100).catch((error: unknown) => error);
    expect([failure instanceof Error, isOutage(failure)]).toEqual([true, false]);
  });

  it("are removed, also what an interrupted write has left", async () => {
    const name = aName();
    await contents.write(name, chunksOf("1"), 100);
    await writeFile(join(folder, name.tenant, `${name.run}.1.part`), "left");
    await contents.remove(name);
    await contents.remove(name);
    expect(await filesOf(name)).toEqual([]);
  });

  it("are listed by tenant, without other files", async () => {
    const [first, second] = [aName(3), aName()];
    expect(await allNames()).toEqual([]);
    await contents.write(first, chunksOf("1"), 100);
    await mkdir(join(folder, second.tenant));
    await writeFile(join(folder, second.tenant, `${second.run}.1.part`), "left");
    await writeFile(join(folder, second.tenant, "notes.txt"), "");
    await mkdir(join(folder, "lost+found"));
    const listedNames = await allNames();
    expect(listedNames).toHaveLength(2);
    expect(listedNames).toEqual(expect.arrayContaining([first, second]));
  });

  it("have names without a path", async () => {
    const name = { ...aName(), run: "../../etc" };
    await expect(contents.open(name)).rejects.toThrow("not a UUID");
  });
});
