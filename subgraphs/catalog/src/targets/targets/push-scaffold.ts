import { reachRemote, type SourcePolicy } from "../../git/git/remote-policy.js";
import { type RemoteCredential, Workspace } from "../../git/git/workspace.js";
import type { OpenRepository } from "../../git/repositories/port/repository-store.js";
import type { PushedScaffold, Scaffold } from "./scaffold.js";
import { Target } from "./target.js";
import { targetFailure } from "./target-failure.js";
import { readTargetHead } from "./target-head.js";

export type { TargetEdit } from "./scaffold.js";
export type { Target } from "./target.js";

interface TargetLocation {
  url: string;
  branch: string;
  /** The branch from which a missing `branch` starts, and must start. Default: the default branch, if there is one. */
  baseBranch?: string;
  credential?: RemoteCredential;
  /** The platform's repository that `url` belongs to. It takes over what is pushed, and is closed with the target. */
  stored?: OpenRepository;
}

export type ScaffoldPush = TargetLocation & Scaffold;

interface TargetOptions {
  signal?: AbortSignal;
  /** The time from opening to closing the target. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 300_000;

/** Opens a target, pushes and closes it. Failures become DomainErrors with codes TARGET_…. */
export async function pushScaffold(
  push: ScaffoldPush,
  policy: SourcePolicy,
  options: TargetOptions = {},
): Promise<PushedScaffold> {
  const target = await openTarget(push, policy, options);
  try {
    return await target.push(push);
  } finally {
    await target.close();
  }
}

/** Opens a target: its branch, or the default branch from which the branch will start. The caller closes the target. */
export async function openTarget(
  location: TargetLocation,
  policy: SourcePolicy,
  options: TargetOptions = {},
): Promise<Target> {
  const { credential, branch, baseBranch, stored } = location;
  try {
    const remote = await reachRemote(location.url, policy);
    const { timeoutMs = defaultTimeoutMs, signal } = options;
    const workspace = await Workspace.open({ remote, credential, signal, timeoutMs });
    try {
      const place = { branch, baseBranch };
      return new Target({ workspace, stored }, place, await readTargetHead(workspace, place));
    } catch (error) {
      await workspace.close();
      throw error;
    }
  } catch (error) {
    await stored?.close();
    throw targetFailure(error);
  }
}
