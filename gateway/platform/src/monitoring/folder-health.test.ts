import { FolderWatch } from "@factory/runtime/files/folder-watch";
import { PlatformFolder } from "@factory/runtime/files/platform-folder";
import { SmallDisk } from "@factory/runtime/files/small-disk.fixture";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Registry } from "prom-client";
import { folderHealth } from "./folder-health.js";

it("the health of the folders names those that take no files, and measures them", async () => {
  const disk = await SmallDisk.open();
  const watch = new FolderWatch();
  const folders = ["FILES_DIR", "TMPDIR"].map((name) => new PlatformFolder(name, disk.path));
  const stop = await watch.start(folders, createLogger("folders", "silent"));
  const registry = new Registry();
  const health = folderHealth(registry, watch);
  expect(health()).toEqual({ ready: true, checks: { files: "ok" } });
  expect(await registry.metrics()).toMatch(/folder_writable{folder="TMPDIR"} 1/);
  expect(await registry.metrics()).toMatch(/folder_free_bytes{folder="TMPDIR"} [1-9]/);
  await disk.fill();
  await watch.turn();
  expect(health()).toEqual({ ready: false, checks: { files: "unavailable", failingFolders: "FILES_DIR, TMPDIR" } });
  expect(await registry.metrics()).toMatch(/folder_writable{folder="TMPDIR"} 0/);
  await disk.free();
  await watch.turn();
  expect(health().ready).toBe(true);
  await stop();
  await disk.close();
});
