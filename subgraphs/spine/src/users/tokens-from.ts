import { commitMarginMs } from "@factory/runtime/auth/revocations";
import type { User } from "./user.entity.js";

/**
 * The first second (epoch) of sign-ins that are newer than the last change of the password. `tokensFrom` is the time of
 * that change in epoch milliseconds.
 */
export const firstSecondAfter = (tokensFrom: number): number => Math.ceil((tokensFrom + commitMarginMs) / 1000);

/** `tokensFrom` of a user at a further change: also sign-ins that were dated to the first second after the last one end. */
export function nextTokensFrom({ tokensFrom }: Pick<User, "tokensFrom">, now: Date): Date {
  return tokensFrom ? new Date(Math.max(now.getTime(), firstSecondAfter(tokensFrom.getTime()) * 1000)) : now;
}
