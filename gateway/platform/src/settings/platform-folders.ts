import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { folderWatch } from "@factory/runtime/files/folder-watch";
import type { PlatformFolder } from "@factory/runtime/files/platform-folder";
import type { PlatformEnvironment } from "./environment.js";

type FolderSettings = Pick<PlatformEnvironment, "filesDir" | "repositories">;

/** The folder for report contents. */
export const filesDirOf = ({ filesDir }: Pick<FolderSettings, "filesDir">, dataDir: string): string =>
  resolve(filesDir ?? join(dataDir, "files"));

/** The folder for `REPOSITORY_STORE=folder`. */
export const repositoriesDirOf = ({ repositories }: Pick<FolderSettings, "repositories">, dataDir: string): string =>
  resolve(repositories.folder ?? join(dataDir, "repositories"));

/** A folder that all processes on one database have in common. */
export interface SharedFolder {
  readonly setting: "FILES_DIR" | "REPOSITORIES_DIR";
  readonly path: string;
}

export function sharedFoldersOf(environment: FolderSettings, dataDir: string): SharedFolder[] {
  const files: SharedFolder = { setting: "FILES_DIR", path: filesDirOf(environment, dataDir) };
  if (environment.repositories.store !== "folder") return [files];
  return [files, { setting: "REPOSITORIES_DIR", path: repositoriesDirOf(environment, dataDir) }];
}

/** The folders that the platform needs, by setting name. One that cannot be made is not ready. */
export async function platformFolders(environment: FolderSettings, dataDir: string): Promise<PlatformFolder[]> {
  const sharedFolders = sharedFoldersOf(environment, dataDir);
  for (const { path } of sharedFolders) await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => undefined);
  return [
    folderWatch.folder("DATA_DIR", dataDir),
    ...sharedFolders.map(({ setting, path }) => folderWatch.folder(setting, path)),
    folderWatch.folder("TMPDIR", tmpdir()),
  ];
}
