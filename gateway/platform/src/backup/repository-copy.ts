import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  checkRepository,
  readBundle,
  type StoredRepository,
  storedRepositories,
  writeBundle,
} from "@factory/catalog/repository-bundles";
import { type ArchiveEntry, readArchive, writeArchive } from "./sealed-folder/archive.js";
import type { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest } from "./sealed-folder/manifest.js";
import type { Progress } from "./sealed-folder/progress.js";

/** Copies every repository as a bundle, which git makes whole beside pushes. */
export async function copyRepositories(
  root: string,
  folder: BackupFolder,
  progress: Progress,
): Promise<Manifest["repositories"]> {
  const bundle = join(folder.path, "repository.unfinished");
  try {
    return await writeArchive(folder, "repositories", entries(root, bundle, progress));
  } finally {
    await rm(bundle, { force: true });
  }
}

async function* entries(root: string, bundle: string, progress: Progress): AsyncGenerator<ArchiveEntry, void> {
  let count = 0;
  for await (const repository of storedRepositories(root)) {
    count += 1;
    progress.step(`repository ${count}`);
    const place = `${repository.tenant}/${repository.owner}/${repository.name}`;
    const facts = { "factory.branch": repository.branch };
    if (await writeBundle(root, repository, bundle))
      yield { name: place, size: (await stat(bundle)).size, content: createReadStream(bundle), facts };
    else yield { name: place, size: 0, facts };
  }
}

/** Makes a backup's repositories in an installation's store. */
export async function restoreRepositories(
  root: string,
  { count, part }: Manifest["repositories"],
  folder: BackupFolder,
  progress: Progress,
): Promise<void> {
  if (count === 0) return;
  await mkdir(root, { recursive: true, mode: 0o700 });
  await eachRepository(root, { count, part }, folder, progress, async () => undefined);
}

/** Makes each repository from a backup in an empty folder, checks all its objects and removes it. */
export async function checkRepositories(
  scratch: string,
  repositories: Manifest["repositories"],
  folder: BackupFolder,
  progress: Progress,
): Promise<void> {
  await eachRepository(scratch, repositories, folder, progress, async (repository) => {
    await checkRepository(repository);
    await rm(repository, { recursive: true });
  });
}

async function eachRepository(
  root: string,
  { count, part }: Manifest["repositories"],
  folder: BackupFolder,
  progress: Progress,
  then: (made: string) => Promise<void>,
): Promise<void> {
  const scratch = await mkdtemp(join(root, ".restored-"));
  const bundle = join(scratch, "bundle");
  let number = 0;
  try {
    const readCount = await readArchive(folder, part, async ({ name, size = 0, pax }, content) => {
      number += 1;
      progress.step(`repository ${number} of ${count}`);
      const repository = placeOf(name, pax?.["factory.branch"]);
      if (size > 0) await pipeline(content, createWriteStream(bundle, { mode: 0o600 }));
      await then(await readBundle(root, repository, size > 0 ? bundle : undefined));
    });
    if (readCount !== count) throw new BackupProblem(`The backup has ${readCount} repositories and not ${count}.`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function placeOf(entry: string, branch = "main"): StoredRepository {
  const [tenant = "", owner = "", name = ""] = entry.split("/");
  return { tenant, owner, name, branch };
}
