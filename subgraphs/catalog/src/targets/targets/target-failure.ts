import { DomainError } from "@factory/runtime/errors/domain-error";
import { GitError } from "../../git/git/git.js";
import { errorOfGit } from "../../git/git/git-failure.js";
import { RemoteBlocked } from "../../git/git/remote-policy.js";
import type { PlannedFile } from "./overlay.js";

export const targetUnavailable = (detail: string) => new DomainError("TARGET_UNAVAILABLE", { detail });
export const targetForbidden = (detail: string) => new DomainError("TARGET_FORBIDDEN", { detail });

/**
 * TARGET_CONFLICT for a plan with conflicts; undefined for one without. Blocked paths are reported first, since no
 * `onConflict` allows them.
 */
export function conflictOf(plannedFiles: readonly PlannedFile[]): DomainError | undefined {
  const blockedFiles = plannedFiles.filter(({ conflict }) => conflict === "Blocked");
  if (blockedFiles.length > 0)
    return conflict(
      "The template produces a folder where the target has a file, or the reverse. Rename it in the target, or choose another target.directory.",
      blockedFiles,
    );
  const differing = plannedFiles.filter(({ conflict }) => conflict === "Differs");
  if (differing.length === 0) return undefined;
  const overlaps = differing.flatMap(({ path, hunks }) => (hunks === undefined ? [] : [{ path, hunks }]));
  const detail = `${differing.length} file(s) of the target differ from the produced files. Choose another target.onConflict, or change these files.`;
  if (overlaps.length === 0) return conflict(detail, differing);
  const places = overlaps.reduce((sum, { hunks }) => sum + hunks, 0);
  return conflict(`${detail} Both sides changed the same lines in ${places} place(s).`, differing, { overlaps });
}

function conflict(
  detail: string,
  files: readonly PlannedFile[],
  facts: { overlaps?: readonly object[] } = {},
): DomainError {
  return new DomainError("TARGET_CONFLICT", { detail, paths: files.map(({ path }) => path), ...facts });
}

/** Turns a git failure into an error for the caller. Returns any other error unchanged. */
export function targetFailure(error: unknown): unknown {
  if (error instanceof RemoteBlocked) return targetForbidden(`The target is not allowed: ${error.message}.`);
  if (!(error instanceof GitError)) return error;
  if (error.timedOut) return targetUnavailable("The target did not answer in time. Try again later.");
  if (error.overflowed) return targetUnavailable("The target has more branches or files than can be read.");
  return (
    errorOfGit(error.stderr, gitErrors) ??
    targetUnavailable("The target cannot be reached. Check target.repository, and that its server is running.")
  );
}

const gitErrors = {
  outOfMemory: targetUnavailable("The target contains an object that needs more memory than git is allowed."),
  redirect: targetUnavailable("The target answered with a redirect. Use its final address as target.repository."),
  unknownHostKey: targetForbidden(
    "The host key of the target is not among the knownHosts of the credential. Add it there.",
  ),
  accessDenied: targetForbidden(
    "The target refused the login. Check target.credentialRef, and that this credential may write.",
  ),
  noRepository: targetForbidden("The address of the target has no repository. Create the repository first."),
  tooLarge: new DomainError("TARGET_FULL", {
    detail:
      "The push is larger than the target has room for. Push to another repository, or ask its operator for more room.",
  }),
  refusedPush: targetForbidden(
    "The target refused the push. Check that the credential may write, and the rules of the branch.",
  ),
};
