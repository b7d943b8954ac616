const maxSeconds = 3600;

/** The header Retry-After for work that has not ended: the seconds until it goes on, or 1 while it is under way. */
export function retryAfter({ nextAttemptAt }: Readonly<Record<string, unknown>>, now = Date.now()): string {
  const seconds = typeof nextAttemptAt === "string" ? Math.ceil((Date.parse(nextAttemptAt) - now) / 1000) : 1;
  return String(Math.min(Math.max(seconds, 1), maxSeconds));
}
