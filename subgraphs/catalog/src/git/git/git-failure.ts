/** The reasons for a failure that git's stderr tells. Where several match, the first one counts. */
const failurePatterns = {
  corruptObject: /fsck error|hasDot|hasDotdot|hasDotgit|unresolved deltas|bad tree/i,
  outOfMemory: /out of memory/i,
  redirect: /unable to update url base from redirection|returned error: 30\d/i,
  unknownHostKey: /host key verification failed|no \S+ host key is known/i,
  accessDenied: /authentication failed|could not read (?:username|password)|returned error: 40[13]|permission denied/i,
  noRepository: /not found|does not appear to be a git repository|no such file/i,
  tooLarge: /exceeds maximum allowed size/i,
  refusedPush: /failed to push some refs|remote rejected/i,
} as const;

type GitFailureReason = keyof typeof failurePatterns;

/** The error for the first reason in `errors` that matches git's stderr; undefined when none matches. */
export function errorOfGit(stderr: string, errors: Partial<Record<GitFailureReason, Error>>): Error | undefined {
  const reasons = Object.keys(failurePatterns) as GitFailureReason[];
  const reason = reasons.find((each) => errors[each] !== undefined && failurePatterns[each].test(stderr));
  return reason && errors[reason];
}
