import type { CredentialState } from "./credential.states.js";

/** The schedule that a tenant gives to a secret. Null members take their defaults. */
export interface CredentialSchedule {
  readonly expiresAt: Date | null;
  readonly graceSeconds: number | null;
  readonly rotationIntervalDays: number | null;
}

/** How many days before the expiry a warning is sent, each once. */
const warningDays = [30, 7, 1] as const;

const dayMs = 24 * 60 * 60 * 1000;
const none: CredentialSchedule = { expiresAt: null, graceSeconds: null, rotationIntervalDays: null };

/** The time at which the next scheduled rotation is due, counted from now; null without an interval. */
export function nextRotation(intervalDays: number | null, now: Date): Date | null {
  return intervalDays === null ? null : new Date(now.getTime() + intervalDays * dayMs);
}

/** The columns for a schedule that begins now. */
export function scheduled(schedule: CredentialSchedule = none, now: Date) {
  const nextRotationAt = nextRotation(schedule.rotationIntervalDays, now);
  const times = { ...schedule, nextRotationAt, expiryWarningDays: null, materialDueAt: null };
  return { ...times, nextChangeAt: nextChange({ ...times, status: "Active" }), changeSentAt: null };
}

interface Times {
  readonly status: CredentialState;
  readonly expiresAt: Date | null;
  /** The last warning that was sent; null before the first one. */
  readonly expiryWarningDays: number | null;
  readonly nextRotationAt: Date | null;
  readonly materialDueAt: Date | null;
}

/**
 * The next time at which time changes a credential: a warning, the expiry, a rotation, or the end of the wait for new
 * material, during which it expires as before. After a failed rotation there are warnings only. In other states time
 * changes nothing.
 */
export function nextChange(times: Times): Date | null {
  const { expiresAt, expiryWarningDays, materialDueAt } = times;
  const nextWarning = warningDays.find((days) => expiryWarningDays === null || days < expiryWarningDays);
  const warning = expiresAt && nextWarning !== undefined ? daysBefore(expiresAt, nextWarning) : null;
  const changes: Record<CredentialState, (Date | null)[]> = {
    Active: [warning ?? expiresAt, times.nextRotationAt],
    RotationFailed: [warning],
    Rotating: materialDueAt === null ? [] : [warning ?? expiresAt, materialDueAt],
    Expired: [materialDueAt],
    Revoked: [],
  };
  const next = changes[times.status].filter((time) => time !== null).map((time) => time.getTime());
  return next.length === 0 ? null : new Date(Math.min(...next));
}

/** The warning that is due now: the last one whose time has come. Undefined when none is due. */
export function dueWarning({ expiresAt, expiryWarningDays }: Times, now: Date): number | undefined {
  if (expiresAt === null || expiresAt <= now) return undefined;
  const due = warningDays.findLast((days) => daysBefore(expiresAt, days) <= now);
  return due !== undefined && (expiryWarningDays === null || due < expiryWarningDays) ? due : undefined;
}

const daysBefore = (time: Date, days: number) => new Date(time.getTime() - days * dayMs);
