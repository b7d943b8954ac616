import { EgressBlockedError, EgressFailure, type EgressFailureKind } from "@factory/runtime/egress/egress-errors";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { visiblePath } from "@factory/template-engine/path-safety";
import { GitError } from "../../git/git.js";
import { RemoteBlocked } from "../../git/remote-policy.js";

export const sourceUnavailable = (detail: string) => new DomainError("SOURCE_UNAVAILABLE", { detail });
export const sourceTooLarge = (detail: string) => new DomainError("SOURCE_TOO_LARGE", { detail });
/** Names of entries come from others: they are shown, and stored, in a form that can be. */
export function sourceUnsafe(detail: string, paths: readonly string[] = []): DomainError {
  const shown = visiblePath(detail);
  return new DomainError(
    "SOURCE_UNSAFE",
    paths.length === 0 ? { detail: shown } : { detail: shown, paths: paths.map(visiblePath) },
  );
}

/** Turns what git or the network said into a sentence for the caller; anything that is no refusal stays what it is. */
export function sourceFailure(error: unknown): unknown {
  if (error instanceof RemoteBlocked) return sourceUnavailable(`The template source is not allowed: ${error.message}.`);
  if (error instanceof EgressBlockedError)
    return sourceUnavailable(`The template source is not allowed: ${error.reason}.`);
  if (error instanceof EgressFailure) return sourceUnavailable(`The template source ${failurePhrases[error.kind]}.`);
  if (!(error instanceof GitError)) return error;
  if (error.timedOut) return sourceUnavailable("The template source did not answer in time.");
  if (error.overflowed) return sourceTooLarge("The template source lists more than it may.");
  return (
    failures.find(({ says }) => says.test(error.stderr))?.failure ??
    sourceUnavailable("The template source cannot be fetched.")
  );
}

const failurePhrases: Record<EgressFailureKind, string> = {
  connect: "cannot be reached",
  timeout: "did not answer in time",
  tls: "has no TLS connection that we trust",
  reset: "broke its answer off",
  protocol: "gave no HTTP answer",
};

const failures: readonly { says: RegExp; failure: DomainError }[] = [
  {
    says: /fsck error|hasDot|hasDotdot|hasDotgit|unresolved deltas|bad tree/i,
    failure: sourceUnsafe("The template source holds an object that git refuses."),
  },
  {
    says: /out of memory/i,
    failure: sourceTooLarge("The template source holds an object that unpacks to more than git may hold."),
  },
  {
    says: /unable to update url base from redirection|returned error: 30\d/i,
    failure: sourceUnavailable("The template source answers with a redirect; name its final address."),
  },
  {
    says: /host key verification failed|no \S+ host key is known/i,
    failure: sourceUnavailable("The template source shows a host key that is not among the credential's known hosts."),
  },
  {
    says: /authentication failed|could not read (?:username|password)|returned error: 40[13]|permission denied/i,
    failure: sourceUnavailable("The template source does not let us in."),
  },
  {
    says: /not found|does not appear to be a git repository|no such file/i,
    failure: sourceUnavailable("There is no git repository at this address."),
  },
];
