import { readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { isRepository } from "../in-folder/bare-repository.js";
import { isRepositoryPlace, type RepositoryPlace } from "../port/repository-store.js";

/** Stores a repository that is in a folder. Does nothing for one that is stored already. */
type StoreRepository = (place: RepositoryPlace, folder: string) => Promise<void>;

const reportEveryMs = 5000;

/**
 * Takes over the repositories that a release before the driver `database` has left in a folder. The folder gets another
 * name when all are stored, and is never deleted. A start that is killed continues at the next one.
 */
export async function takeOverFolder(folder: string, store: StoreRepository, logger: Logger): Promise<void> {
  const repositories = await repositoriesIn(folder);
  if (repositories === undefined) return;
  logger.info({ folder, repositories: repositories.length }, "repositories are moved into the database");
  let failureCount = 0;
  let reportedAt = Date.now();
  for (const [place, repository] of repositories.entries()) {
    try {
      await store(repository, folderOf(folder, repository));
      failpoint("repositories.taken");
    } catch (error) {
      failureCount += 1;
      logger.error({ err: error, ...repository }, "a repository could not be moved into the database");
    }
    if (Date.now() - reportedAt < reportEveryMs) continue;
    reportedAt = Date.now();
    logger.info({ done: place + 1, repositories: repositories.length }, "repositories are moved into the database");
  }
  if (failureCount > 0) {
    logger.error({ folder, failed: failureCount }, "the next start tries again to move these repositories");
    return;
  }
  const movedFolder = await freeName(`${folder}-moved`);
  await rename(folder, movedFolder);
  logger.info(
    { folder: movedFolder },
    "all repositories are in the database; the former folder is kept under this name",
  );
}

const folderOf = (root: string, { tenantId, owner, name }: RepositoryPlace) =>
  join(root, tenantId, owner, `${name}.git`);

/** Undefined when the folder does not exist. */
async function repositoriesIn(root: string): Promise<RepositoryPlace[] | undefined> {
  if (!(await isFolder(root))) return undefined;
  const places: RepositoryPlace[] = [];
  for (const tenantId of await foldersIn(root))
    for (const owner of await foldersIn(join(root, tenantId)))
      for (const file of await foldersIn(join(root, tenantId, owner))) {
        const place = { tenantId, owner, name: file.replace(/\.git$/, "") };
        if (isRepositoryPlace(place) && (await isRepository(folderOf(root, place)))) places.push(place);
      }
  return places;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith(".") ? [entry.name] : []))
    .toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

async function freeName(wantedName: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wantedName : `${wantedName}-${count}`;
    if (!(await isFolder(name))) return name;
  }
}
