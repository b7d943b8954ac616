import { execFile, execFileSync } from "node:child_process";
import { open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { keepingLogger } from "../telemetry/logged-lines.fixture.js";
import { createLogger } from "../telemetry/logger.js";
import { ensureCompiled } from "../threads/compiled-worker.fixture.js";
import { FolderWatch } from "./folder-watch.js";
import { PlatformFolder } from "./platform-folder.js";
import { SmallDisk } from "./small-disk.fixture.js";

const run = promisify(execFile);
const quiet = createLogger("folders", "silent");

describe("the watch of the platform's folders", () => {
  const disks: SmallDisk[] = [];
  const stops: (() => Promise<void>)[] = [];

  async function aDisk(): Promise<SmallDisk> {
    const disk = await SmallDisk.open();
    disks.push(disk);
    return disk;
  }
  async function aWatch(folders: readonly PlatformFolder[], logger = quiet): Promise<FolderWatch> {
    const watch = new FolderWatch();
    stops.push(await watch.start(folders, logger));
    return watch;
  }
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    for (const disk of disks.splice(0)) await disk.close();
  });

  it("names the folder that takes no files, once for each change, and leaves nothing in it", async () => {
    const [full, other] = [await aDisk(), await aDisk()];
    const lines: string[] = [];
    const folders = [new PlatformFolder("FILES_DIR", full.path), new PlatformFolder("TMPDIR", other.path)];
    const watch = await aWatch(folders, keepingLogger(lines));
    expect([watch.failing, lines]).toEqual([[], []]);
    await full.fill();
    for (let turn = 0; turn < 3; turn += 1) await watch.turn();
    expect(watch.failing).toEqual(["FILES_DIR"]);
    await full.free();
    for (let turn = 0; turn < 3; turn += 1) await watch.turn();
    expect(watch.failing).toEqual([]);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ folder: "FILES_DIR", msg: "the platform cannot write files" }),
      expect.objectContaining({ folder: "FILES_DIR", msg: "the platform can write files again" }),
    ]);
    expect(await readdir(full.path)).toEqual([]);
  });

  it("tells the kind of failure: a full disk, and a folder that is gone", async () => {
    const disk = await aDisk();
    const [folder, missingFolder] = [new PlatformFolder("A", disk.path), new PlatformFolder("B", `${disk.path}/gone`)];
    await aWatch([folder, missingFolder]);
    expect([folder.outage, missingFolder.outage?.fileFailure]).toEqual([undefined, "Broken"]);
    await disk.fill();
    expect((await folder.probe())?.fileFailure).toBe(disk.isMounted ? "Full" : "Broken");
  });

  it("lets work wait until files can be written, and end with its signal or with the reason", async () => {
    const disk = await aDisk();
    const folder = new PlatformFolder("DATA_DIR", disk.path);
    const { signal } = new AbortController();
    await folder.usable(signal);
    await disk.fill();
    await folder.probe();
    expect(() => folder.requireUsable()).toThrow("DATA_DIR takes no files");
    await expect(folder.usable(signal, 0)).rejects.toThrow("DATA_DIR takes no files");
    const stopping = new AbortController();
    const stoppedWait = folder.usable(stopping.signal);
    stopping.abort(new Error("the process stops"));
    await expect(stoppedWait).rejects.toThrow("the process stops");
    const waiting = folder.usable(signal, 600_000);
    await disk.free();
    await folder.probe();
    await waiting;
    folder.requireUsable();
  });

  it("blames no folder while no file descriptor is left", () => {
    const workspace = join(dirname(fileURLToPath(import.meta.url)), "../..");
    ensureCompiled(workspace, { entry: "files/folder-watch.js", sources: "{errors,files,loops}/*.ts" });
    const moduleUrl = (file: string) => JSON.stringify(pathToFileURL(join(workspace, "dist", file)).href);
    const script = `
      import { closeSync, openSync } from "node:fs";
      import { tmpdir } from "node:os";
      import { FolderWatch } from ${moduleUrl("files/folder-watch.js")};
      import { PlatformFolder } from ${moduleUrl("files/platform-folder.js")};
      const ignore = () => undefined;
      const watch = new FolderWatch();
      await watch.start([new PlatformFolder("TMPDIR", tmpdir())], { error: ignore, warn: ignore });
      const held = [];
      try { for (;;) held.push(openSync("/dev/null")); } catch {}
      await watch.turn();
      const failing = watch.failing;
      for (const one of held) closeSync(one);
      await watch.turn();
      console.log(JSON.stringify([failing, watch.failing]));
      process.exit();`;
    const limitedCommand = [
      "-c",
      'ulimit -n 128; exec "$0" --no-warnings --input-type=module -e "$1"',
      process.execPath,
      script,
    ];
    expect(JSON.parse(execFileSync("sh", limitedCommand, { encoding: "utf8" }))).toEqual([["file descriptors"], []]);
  });

  it("does not wait for a disk that hangs, and goes on when the disk does", async () => {
    const disk = await aDisk();
    const folder = new PlatformFolder("TMPDIR", disk.path, 50);
    const pipe = join(disk.path, "pipe");
    await run("mkfifo", [pipe]);
    // each open waits for a writer in a thread for files, as it would wait for a disk
    const waiting = Array.from({ length: 4 }, () => open(pipe, "r"));
    try {
      expect((await folder.probe())?.message).toContain("does not answer");
      expect(folder.outage?.fileFailure).toBe("Broken");
    } finally {
      await run("sh", ["-c", `: > "${pipe}"`]);
      for (const file of waiting) await (await file).close();
    }
    while (folder.outage) await folder.probe();
  });
});
