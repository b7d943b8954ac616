import type { PlatformFolder } from "@factory/runtime/files/platform-folder";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { serviceKey } from "@factory/runtime/subgraph/service-registry";
import type { SourcePolicy } from "../../git/remote-policy.js";
import { repositoryNameProblem } from "./repository-name.js";

/** A tenant's repository. */
export interface RepositoryPlace {
  readonly tenantId: string;
  readonly owner: string;
  readonly name: string;
}

/** A branch that moves from the commit `expected` (null: it is new) to `commit`. */
export interface BranchMove {
  /** The full name, `refs/heads/…`. */
  readonly ref: string;
  readonly expected: string | null;
  readonly commit: string;
}

/**
 * The platform's git repositories. Every process serves and pushes every repository. A repository exists from its first
 * push on.
 */
export interface RepositoryStore {
  /** The store's folders, which no caller may name as a source or a target. */
  readonly roots: readonly string[];
  /** The folder that needs room for a push. */
  readonly disk: PlatformFolder;
  /**
   * The bare folder from which readers are served, with every push that was acknowledged before. Undefined for a missing
   * repository and for invalid names. The folder must not be used for longer than a clone may take.
   */
  find(place: RepositoryPlace): Promise<string | undefined>;
  /** Opens a repository for a push to `branch`. In one without commits, HEAD is set to this branch. */
  open(place: RepositoryPlace, branch: string): Promise<OpenRepository>;
}

/** A private copy of a repository's refs. Git pushes to it, and `publish` keeps the result. */
export interface OpenRepository {
  /** A file URL, for git commands under `policy`. */
  readonly url: string;
  readonly policy: SourcePolicy;
  /** Takes over what was pushed. Returns false, and changes nothing, when the branch has moved meanwhile. */
  publish(move: BranchMove): Promise<boolean>;
  /** Forgets what was pushed, and takes the repository's newest state. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** The store of the process. */
export const repositoryStoreService = serviceKey<RepositoryStore>("RepositoryStore");

/** Whether all parts in a place may be names of folders and rows. */
export function isRepositoryPlace({ tenantId, owner, name }: RepositoryPlace): boolean {
  const isTenant = decodeId("ten", tenantId) !== undefined;
  return isTenant && repositoryNameProblem(owner) === undefined && repositoryNameProblem(name) === undefined;
}

/** Throws for a place that was not validated before. */
export function requireRepositoryPlace(place: RepositoryPlace): void {
  if (!isRepositoryPlace(place)) throw new Error("The embedded store was given a name that was not validated");
}
