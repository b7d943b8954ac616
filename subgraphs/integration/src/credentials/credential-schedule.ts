/** The schedule that a tenant gives to a secret. Null members take their defaults. */
export interface CredentialSchedule {
  readonly expiresAt: Date | null;
  readonly graceSeconds: number | null;
  readonly rotationIntervalDays: number | null;
}

/** How many days before the expiry a warning is sent, each of them once. */
export const warningDays = [30, 7, 1] as const;

const dayMs = 24 * 60 * 60 * 1000;
const none: CredentialSchedule = { expiresAt: null, graceSeconds: null, rotationIntervalDays: null };

/** The columns of a schedule that begins now. */
export function scheduled(schedule: CredentialSchedule = none, now: Date) {
  const { expiresAt, rotationIntervalDays } = schedule;
  const nextRotationAt = rotationIntervalDays === null ? null : new Date(now.getTime() + rotationIntervalDays * dayMs);
  const expiryWarningDays = null;
  return {
    ...schedule,
    nextRotationAt,
    expiryWarningDays,
    nextChangeAt: nextChange({ expiresAt, expiryWarningDays, nextRotationAt }),
    changeSentAt: null,
  };
}

interface Times {
  readonly expiresAt: Date | null;
  /** The last warning that was sent; null before the first one. */
  readonly expiryWarningDays: number | null;
  readonly nextRotationAt: Date | null;
}

/** The next time at which a credential changes: a warning, the expiry or a rotation. */
export function nextChange({ expiresAt, expiryWarningDays, nextRotationAt }: Times): Date | null {
  const nextWarning = warningDays.find((days) => expiryWarningDays === null || days < expiryWarningDays) ?? 0;
  const expiry = expiresAt && new Date(expiresAt.getTime() - nextWarning * dayMs);
  const times = [expiry, nextRotationAt].filter((time) => time !== null);
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));
}
