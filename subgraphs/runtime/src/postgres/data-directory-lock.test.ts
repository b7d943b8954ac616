import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockDataDirectory } from "./data-directory-lock.js";

describe("the lock of a data directory", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "factory-lock-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("tells who held it before, and whether that process stopped or died", () => {
    const first = lockDataDirectory(directory);
    expect(first.former).toEqual([]);
    const asItDied = readFileSync(join(directory, "lock.pid"), "utf8");
    first.release();
    writeFileSync(join(directory, "lock.pid"), asItDied);
    const second = lockDataDirectory(directory);
    const deadHolder = { processId: first.processId, stopped: false };
    expect(second.former).toEqual([deadHolder]);
    second.release();
    const third = lockDataDirectory(directory);
    expect(third.former).toEqual([{ processId: second.processId, stopped: true }, deadHolder]);
    third.release();
  });

  it("is taken whatever stands in the file of its holder", () => {
    writeFileSync(join(directory, "lock.pid"), "1\nnonsense\n");
    const lock = lockDataDirectory(directory);
    expect(lock.former).toEqual([]);
    lock.release();
  });
});
