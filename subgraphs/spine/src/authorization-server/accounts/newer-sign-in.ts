import { setTimeout } from "node:timers/promises";
import { commitMarginMs } from "@factory/runtime/auth/revocations";
import type { UserAccount } from "./user-accounts.js";

/**
 * Waits, for at most a second and a quarter, until a sign-in is newer than the last change of the password. Refresh tokens
 * know the second of their birth and no more, so one from the same second would be refused like those from before.
 */
export async function untilSignInIsNewer({ tokensFrom }: Pick<UserAccount, "tokensFrom">): Promise<void> {
  const waitMs = Math.ceil((tokensFrom + commitMarginMs) / 1000) * 1000 - Date.now();
  // the clock of the process that has changed the password may be ahead
  if (waitMs > 0) await setTimeout(Math.min(waitMs, 1000 + commitMarginMs));
}
