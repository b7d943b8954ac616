import type { FileTree } from "@factory/template-engine/file-tree";
import { GitError } from "../../git/git/git.js";
import type { Workspace } from "../../git/git/workspace.js";
import type { MergeBase } from "./scaffold.js";
import { targetUnavailable } from "./target-failure.js";

const maxHistoryCommits = 1_000;
const maxLogBytes = 16 * 1024 * 1024;
const maxHistoryBytes = 256 * 1024 * 1024;

/**
 * The files that the same template's newest scaffold below `head` rendered. Undefined if the template has no scaffold
 * there.
 */
export async function findMergeBase(
  workspace: Workspace,
  head: string,
  mergeBase: MergeBase,
): Promise<FileTree | undefined> {
  const askedIds = new Set<string>();
  for await (const executionId of scaffoldExecutions(workspace, head)) {
    if (askedIds.has(executionId)) continue;
    // Anybody may write commit messages, so they may name as many executions as they like.
    if (askedIds.size === maxHistoryCommits) return undefined;
    askedIds.add(executionId);
    const files = await mergeBase(executionId);
    if (files !== undefined) return files;
  }
  return undefined;
}

/** Memoizes a merge base, so that a push that is built again renders no execution twice. */
export function memoizeMergeBase(mergeBase: MergeBase): MergeBase {
  const knownTrees = new Map<string, Promise<FileTree | undefined>>();
  return (executionId) => {
    const files = knownTrees.get(executionId) ?? mergeBase(executionId);
    knownTrees.set(executionId, files);
    return files;
  };
}

/** The executions that the history names, newest first: first from the fetched commits, then from older commits. */
async function* scaffoldExecutions(workspace: Workspace, head: string): AsyncGenerator<string> {
  yield* await namedExecutions(workspace, head);
  const shallow = (await workspace.git(["rev-parse", "--is-shallow-repository"])).toString("utf8").trim();
  if (shallow !== "true") return;
  await deepen(workspace, head);
  yield* await namedExecutions(workspace, head);
}

/** Fetches older commits, without trees where the remote supports it. */
async function deepen(workspace: Workspace, head: string): Promise<void> {
  const fetch = ["-c", "fetch.fsckObjects=false", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
  const receive = (filter: string) =>
    workspace.receive([...fetch, `--depth=${maxHistoryCommits}`, filter, "--", "origin", `+${head}:refs/target/base`], {
      maxBytes: maxHistoryBytes,
      tooLarge: targetUnavailable(
        "The history of the target is too large to find the last scaffold. Use another target.onConflict than merge.",
      ),
    });
  try {
    await receive("--filter=tree:0");
  } catch (error) {
    // A server may support filters, but not this one.
    if (!(error instanceof GitError && /filter '.*' not supported/.test(error.stderr))) throw error;
    await receive("--filter=blob:none");
  }
}

async function namedExecutions(workspace: Workspace, head: string): Promise<string[]> {
  const log = ["log", "-z", "--date-order", `--max-count=${maxHistoryCommits}`, "--format=%B", head];
  const messages = (await workspace.git(log, { maxOutputBytes: maxLogBytes })).toString("utf8").split("\0");
  return messages.flatMap(executionsOf);
}

/** A squashed commit names several executions, the oldest first. */
function executionsOf(message: string): string[] {
  return [...message.matchAll(/^Execution-Id: (\S{1,100})\r?$/gm)].map(([, id = ""]) => id).reverse();
}
