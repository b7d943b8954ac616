import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { FactorLock } from "./factor-lock.entity.js";
import { maxWrongCodes } from "./max-wrong-codes.js";

// tables: factor_locks

const ofUser = "tenant_id = $1 and user_id = $2";
const noLink = "link_nonce = null, link_digest = null, link_expires_at = null, link_mailed_at = null";
/** A link has lifted a lock within the last 24 hours. */
export const isSpent = "coalesce(link_used_at > now() - interval '24 hours', false)";

/** Counts a code before it is checked. No row: too many were wrong, so it is not checked. */
export const countCode = {
  name: "count_factor_code",
  text: `insert into factor_locks as known (tenant_id, user_id, failures) values ($1, $2, 1)
    on conflict (tenant_id, user_id) do update set failures = known.failures + 1
      where known.locked_at is null and known.failures < ${maxWrongCodes}
    returning failures`,
};

/** The code was right. No row: the lock has closed meanwhile. */
export const forgetWrongCodes = {
  name: "forget_wrong_factor_codes",
  text: `update factor_locks set failures = 0 where ${ofUser} and locked_at is null returning user_id`,
};

/** The code could not be checked. */
export const uncountCode = {
  name: "uncount_factor_code",
  text: `update factor_locks set failures = failures - 1 where ${ofUser} and locked_at is null and failures > 0`,
};

/** No row: there were fewer wrong codes, or the lock was closed before. */
export const closeLock = {
  name: "close_factor_lock",
  text: `update factor_locks set locked_at = now()
    where ${ofUser} and locked_at is null and failures >= ${maxWrongCodes} returning user_id`,
};

/** No row: there was no lock. */
export const liftLock = {
  name: "lift_factor_lock",
  text: `update factor_locks set failures = 0, locked_at = null, ${noLink}
    where ${ofUser} and locked_at is not null returning user_id`,
};

/** As `liftLock`, with the digest `$3` of a link's token. No row: the link does not work any more. */
export const liftLockByLink = {
  name: "lift_factor_lock_by_link",
  text: `update factor_locks set failures = 0, locked_at = null, link_used_at = now(), ${noLink}
    where ${ofUser} and locked_at is not null and link_digest = $3 and link_expires_at > now() and not ${isSpent}
    returning user_id`,
};

/** The state that decides whether a link is mailed. */
export interface LinkStateRow {
  /** The nonce for a link that has not expired. */
  open_nonce: string | null;
  is_spent: boolean;
  is_mailed: boolean;
}

/** Locks the row. No row: the codes are not locked. */
export const linkState = {
  name: "factor_lock_link_state",
  text: `select case when link_expires_at > now() then link_nonce end as open_nonce, ${isSpent} as is_spent,
      coalesce(link_mailed_at > now() - interval '15 minutes', false) as is_mailed
    from factor_locks where ${ofUser} and locked_at is not null for update`,
};

/** Stores the nonce and the digest for a link that is being mailed. */
export const storeLink = namedStatement(
  "store_factor_lock_link",
  `update factor_locks set link_nonce = $nonce, link_digest = $digest, link_expires_at = now() + interval '24 hours',
    link_mailed_at = now() where tenant_id = $tenant and user_id = $user`,
);

export const forgetPerson = {
  name: "forget_factor_lock",
  text: `delete from factor_locks where ${ofUser}`,
};

export type LockRow = RowOf<FactorLock, "lockedAt">;

/** The lock for the user `$2`; no row without one. */
export const lockOfUser = tenantStatement(
  "factor_lock_of_user",
  "select locked_at from factor_locks where tenant_id = scope.tenant and user_id = $2 and locked_at is not null",
);
