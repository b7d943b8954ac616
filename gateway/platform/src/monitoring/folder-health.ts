import type { FolderWatch } from "@factory/runtime/files/folder-watch";
import { Gauge, type Registry } from "prom-client";

interface FolderHealth {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/** Returns the entry in `/readyz` about the platform's folders, and measures them. */
export function folderHealth(registry: Registry, watch: FolderWatch): () => FolderHealth {
  const writable = new Gauge({
    name: "folder_writable",
    help: "1 while files can be written in a folder of the platform, otherwise 0.",
    labelNames: ["folder"],
    registers: [registry],
    collect: () => {
      for (const { name, outage } of watch.folders) writable.set({ folder: name }, outage ? 0 : 1);
    },
  });
  const free = new Gauge({
    name: "folder_free_bytes",
    help: "Free space on the disk of a folder of the platform, when it was last written to.",
    labelNames: ["folder"],
    registers: [registry],
    collect: () => {
      for (const { name, freeBytes } of watch.folders)
        if (freeBytes !== undefined) free.set({ folder: name }, freeBytes);
    },
  });
  return () => {
    const { failing } = watch;
    if (failing.length === 0) return { ready: true, checks: { files: "ok" } };
    return { ready: false, checks: { files: "unavailable", failingFolders: failing.join(", ") } };
  };
}
