import { EgressBlockedError, EgressFailure, type EgressFailureKind } from "@factory/runtime/egress/egress-errors";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { visiblePath } from "@factory/template-engine/path-safety";
import { GitError } from "../../../git/git/git.js";
import { errorOfGit } from "../../../git/git/git-failure.js";
import { RemoteBlocked } from "../../../git/git/remote-policy.js";

/** An error SOURCE_UNAVAILABLE with a detail for the caller. */
export const sourceUnavailable = (detail: string) => new DomainError("SOURCE_UNAVAILABLE", { detail });
/** An error SOURCE_TOO_LARGE with a detail for the caller. */
export const sourceTooLarge = (detail: string) => new DomainError("SOURCE_TOO_LARGE", { detail });
/**
 * An error SOURCE_UNSAFE. Foreign file names may have control characters, so they are escaped before they are shown or
 * stored.
 */
export function sourceUnsafe(detail: string, paths: readonly string[] = []): DomainError {
  const shownDetail = visiblePath(detail);
  return new DomainError(
    "SOURCE_UNSAFE",
    paths.length === 0 ? { detail: shownDetail } : { detail: shownDetail, paths: paths.map(visiblePath) },
  );
}

/** Turns a git or network failure into an error for the caller. Returns any other error unchanged. */
export function sourceFailure(error: unknown): unknown {
  if (error instanceof RemoteBlocked) return sourceUnavailable(`The template source is not allowed: ${error.message}.`);
  if (error instanceof EgressBlockedError)
    return sourceUnavailable(`The template source is not allowed: ${error.reason}.`);
  if (error instanceof EgressFailure) return sourceUnavailable(`The template source ${failurePhrases[error.kind]}.`);
  if (!(error instanceof GitError)) return error;
  if (error.timedOut) return sourceUnavailable("The template source did not answer in time. Try again later.");
  if (error.overflowed) return sourceTooLarge("The template source has more refs or files than are allowed.");
  return (
    errorOfGit(error.stderr, gitErrors) ??
    sourceUnavailable("The template source cannot be fetched. Check its address.")
  );
}

const failurePhrases: Record<EgressFailureKind, string> = {
  connect: "cannot be reached",
  timeout: "did not answer in time",
  tls: "has a TLS certificate that is not trusted",
  reset: "ended the connection within its answer",
  protocol: "did not answer with HTTP",
};

const gitErrors = {
  corruptObject: sourceUnsafe(
    "The template source contains an object that git refuses (git fsck). Repair the repository.",
  ),
  outOfMemory: sourceTooLarge("The template source contains an object that needs more memory than git is allowed."),
  redirect: sourceUnavailable("The template source answered with a redirect. Use its final address."),
  unknownHostKey: sourceUnavailable(
    "The host key of the template source is not among the knownHosts of the credential. Add it there.",
  ),
  accessDenied: sourceUnavailable("The template source refused access. It may need a credential."),
  noRepository: sourceUnavailable("The address of the template source has no git repository."),
};
