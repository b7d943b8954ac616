import { access, constants, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { sharedFoldersOf } from "../settings/platform-folders.js";
import type { MachineCheck } from "./start-check.js";

const { R_OK, W_OK, X_OK } = constants;

/** The folders that the platform writes. They may be missing, where it can make them. */
export const writtenFolders: MachineCheck = async (environment) => {
  const dataDir = resolve(environment.dataDir);
  const folders = [
    { setting: "DATA_DIR", path: dataDir },
    ...sharedFoldersOf(environment, dataDir),
    { setting: "TMPDIR", path: tmpdir() },
  ];
  for (const { setting, path } of folders) {
    const problem = await hindrance(resolve(path));
    if (problem !== undefined)
      return `${setting}=${path} cannot be written: ${problem}. ${wayOut(`set ${setting} to another folder`)}`;
  }
  return undefined;
};

/** The operator's folders and files that the platform only reads. */
export const readFolders: MachineCheck = async ({ sourceRoots, supergraphFile, persistedDocuments }) => {
  for (const root of sourceRoots) {
    const code = await refusal(root, R_OK | X_OK);
    if (code !== undefined && code !== "ENOENT")
      return `SOURCE_ROOTS names ${root}, which cannot be read (${code}). ${wayOut("remove it from SOURCE_ROOTS")}`;
  }
  for (const [setting, path] of [
    ["SUPERGRAPH_FILE", supergraphFile],
    ["PERSISTED_DOCUMENTS", persistedDocuments?.file],
  ] as const) {
    const code = path === undefined ? undefined : await refusal(path, R_OK);
    if (code !== undefined) return `${setting}=${path} cannot be read (${code}). ${wayOut(`correct ${setting}`)}`;
  }
  return undefined;
};

const wayOut = (other: string) => `Give this user (id ${process.getuid?.() ?? "unknown"}) access, or ${other}.`;

/** Why the folder cannot be written, or made in the nearest folder above that exists. */
async function hindrance(folder: string): Promise<string | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() === false) return `${folder} is not a folder`;
  const code = await refusal(folder, R_OK | W_OK | X_OK);
  if (code === "ENOENT" && dirname(folder) !== folder) return hindrance(dirname(folder));
  return code === undefined ? undefined : `${folder} refuses it (${code})`;
}

/** The system error's code; undefined if the user has the rights. */
async function refusal(path: string, rights: number): Promise<string | undefined> {
  try {
    await access(path, rights);
    return undefined;
  } catch (error) {
    return systemErrorCode(error) ?? String(error);
  }
}
