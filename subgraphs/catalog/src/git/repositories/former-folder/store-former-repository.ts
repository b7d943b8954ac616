import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { GitError, git } from "../../git/git.js";
import type { Ref } from "../bare/bare-folder.js";
import type { ReceivedPack } from "../bare/push-staging.js";
import type { DatabaseStore } from "../in-database/database-store.js";
import { readRefs } from "../in-folder/bare-repository.js";
import type { BranchMove, RepositoryPlace } from "../port/repository-store.js";

const packTimeoutMs = 600_000;

/**
 * Stores all refs from a repository in a folder, with their objects. Another process may have stored a repository with
 * the same name with other commits. Then the branch keeps the stored commits, and the folder's commits become the
 * branch `recovered/<branch>-<commit>`.
 */
export async function storeFormerRepository(
  store: DatabaseStore,
  place: RepositoryPlace,
  { folder, logger }: { folder: string; logger: Logger },
): Promise<void> {
  const { head, refs } = await readRefs(folder);
  const storedRefs = new Map((await store.state(place)).refs.map(({ name, objectId }) => [name, objectId]));
  const view = await store.find(place);
  const moves: BranchMove[] = [];
  for (const ref of refs) moves.push(...(await movesFor(ref, { stored: storedRefs, folder, view })));
  if (moves.length === 0) return;
  for (const { ref } of moves)
    if (!refs.some(({ name }) => name === ref))
      logger.warn(
        { ...place, ref },
        "two processes had different commits on a branch; those of this folder are kept here",
      );
  const scratch = await mkdtemp(join(await store.cache.pushes(), "former-"));
  try {
    const prefix = join(scratch, "pack");
    await git(["pack-objects", "--all", "--quiet", "--threads=1", "--window-memory=64m", prefix], {
      ...{ cwd: folder, unpacks: true, timeoutMs: packTimeoutMs },
    });
    const isPushed = await store.publish(tenantWithId(place.tenantId), place, {
      ...{ moves, branch: head, received: await packsIn(scratch) },
      limits: { repositoryBytes: Number.POSITIVE_INFINITY, tenantBytes: Number.POSITIVE_INFINITY },
    });
    if (!isPushed) throw new Error("The repository was pushed to meanwhile");
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Branches stay branches and tags stay tags. */
const recoveredName = (ref: string, objectId: string) =>
  `${ref.replace(/^(refs\/[^/]+\/)/, "$1recovered/")}-${objectId.slice(0, 12)}`;

interface Comparison {
  readonly stored: ReadonlyMap<string, string>;
  readonly folder: string;
  readonly view: string | undefined;
}

async function movesFor({ name: ref, objectId }: Ref, { stored, folder, view }: Comparison): Promise<BranchMove[]> {
  const expectedId = stored.get(ref);
  if (expectedId === objectId) return [];
  if (expectedId === undefined) return [{ ref, expected: null, commit: objectId }];
  if (await isAncestor(folder, expectedId, objectId)) return [{ ref, expected: expectedId, commit: objectId }];
  if (view !== undefined && (await isAncestor(view, objectId, expectedId))) return [];
  const recoveredRef = recoveredName(ref, objectId);
  return stored.has(recoveredRef) ? [] : [{ ref: recoveredRef, expected: null, commit: objectId }];
}

/** False also where the repository lacks a commit. */
async function isAncestor(folder: string, ancestor: string, commit: string): Promise<boolean> {
  try {
    await git(["merge-base", "--is-ancestor", ancestor, commit], { cwd: folder });
    return true;
  } catch (error) {
    if (error instanceof GitError && (error.exitCode === 1 || error.exitCode === 128)) return false;
    throw error;
  }
}

async function packsIn(folder: string): Promise<ReceivedPack[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".pack"));
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return { checksum: name.slice("pack-".length, -".pack".length), file, bytes: (await stat(file)).size };
    }),
  );
}
