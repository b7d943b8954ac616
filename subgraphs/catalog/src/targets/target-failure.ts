import { DomainError } from "@factory/runtime/errors/domain-error";
import { GitError } from "../git/git.js";
import { RemoteBlocked } from "../git/remote-policy.js";
import type { PlannedFile } from "./overlay.js";

export const targetUnavailable = (detail: string) => new DomainError("TARGET_UNAVAILABLE", { detail });
const targetForbidden = (detail: string) => new DomainError("TARGET_FORBIDDEN", { detail });

/** Ends a push whose plan has conflicts. Files in the way of folders are named first: no other rule lets them through. */
export function requireNoConflict(planned: readonly PlannedFile[]): void {
  const blocked = planned.filter(({ conflict }) => conflict === "Blocked");
  if (blocked.length > 0) throw conflict("A file stands where the target needs a folder, or the reverse.", blocked);
  const differing = planned.filter(({ conflict }) => conflict === "Differs");
  if (differing.length === 0) return;
  const overlaps = differing.flatMap(({ path, hunks }) => (hunks === undefined ? [] : [{ path, hunks }]));
  const detail = `${differing.length} file(s) of the target differ from the produced ones.`;
  if (overlaps.length === 0) throw conflict(detail, differing);
  const places = overlaps.reduce((sum, { hunks }) => sum + hunks, 0);
  throw conflict(`${detail} Both sides changed the same lines in ${places} place(s).`, differing, { overlaps });
}

function conflict(detail: string, files: readonly PlannedFile[], facts: { overlaps?: unknown } = {}): DomainError {
  return new DomainError("TARGET_CONFLICT", { detail, paths: files.map(({ path }) => path), ...facts });
}

/** Turns what git said into a sentence for the caller; anything that is no refusal stays what it is. */
export function targetFailure(error: unknown): unknown {
  if (error instanceof RemoteBlocked) return targetForbidden(`The target is not allowed: ${error.message}.`);
  if (!(error instanceof GitError)) return error;
  if (error.timedOut) return targetUnavailable("The target did not answer in time.");
  if (error.overflowed) return targetUnavailable("The target lists more than can be read.");
  const known = failures.find(({ says }) => says.test(error.stderr))?.failure;
  return known ?? targetUnavailable("The target cannot be reached.");
}

const failures: readonly { says: RegExp; failure: DomainError }[] = [
  {
    says: /out of memory/i,
    failure: targetUnavailable("The target holds an object that unpacks to more than git may hold."),
  },
  {
    says: /unable to update url base from redirection|returned error: 30\d/i,
    failure: targetUnavailable("The target answers with a redirect; name its final address."),
  },
  {
    says: /host key verification failed|no \S+ host key is known/i,
    failure: targetForbidden("The target shows a host key that is not among the credential's known hosts."),
  },
  {
    says: /authentication failed|could not read (?:username|password)|returned error: 40[13]|permission denied/i,
    failure: targetForbidden("The target does not let us in."),
  },
  {
    says: /not found|does not appear to be a git repository|no such file/i,
    failure: targetForbidden("There is no repository at the target's address; targets are not created."),
  },
  {
    says: /failed to push some refs|remote rejected/i,
    failure: targetForbidden("The target refused the push."),
  },
];
