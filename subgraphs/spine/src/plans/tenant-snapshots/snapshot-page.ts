import { DomainError } from "@factory/runtime/errors/domain-error";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";

/** The position after which a page begins, in the order of changes. */
export interface SnapshotPosition {
  /** Microseconds since 1970, as decimal text. */
  readonly changedAt: string;
  readonly tenant: string;
}

const tokenForm = /^(\d{1,18})~([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The position before all tenants that have changed at or after the time. */
export function positionBefore(changedSinceMs: number): SnapshotPosition {
  if (!Number.isSafeInteger(changedSinceMs) || changedSinceMs < 0 || changedSinceMs > maxEpochMs)
    throw refusal("/changed_since_ms", "The time must be in milliseconds since 1970.");
  return { changedAt: `${BigInt(changedSinceMs) * 1000n}`, tenant: nilUuid };
}

/** 31 December 9999. */
const maxEpochMs = 253_402_300_799_999;

/** Reads the `next_page_token` of the page before. */
export function positionOf(pageToken: string): SnapshotPosition {
  const [, changedAt, tenant] = tokenForm.exec(pageToken) ?? [];
  if (changedAt === undefined || tenant === undefined)
    throw refusal("/page_token", "Send the next_page_token of the page before.");
  return { changedAt, tenant };
}

/** The `next_page_token` of a page that ends at this position. */
export const pageToken = ({ changedAt, tenant }: SnapshotPosition): string => `${changedAt}~${tenant}`;

function refusal(pointer: string, detail: string): DomainError {
  return new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer, code: "FORMAT", detail }] });
}
