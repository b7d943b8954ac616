import { firstSecondAfter } from "../../users/tokens-from.js";
import type { UserAccount } from "./user-accounts.js";

/**
 * The time of a sign-in, in epoch seconds. It is taken before the sign-in is stored, so that a password that is replaced
 * after that is newer. It is at least the first second after the last change of the password: the user was read after that
 * change, so a sign-in in the same second is not older than it.
 */
export const signInTime = ({ tokensFrom }: Pick<UserAccount, "tokensFrom">): number =>
  Math.max(Math.floor(Date.now() / 1000), firstSecondAfter(tokensFrom));
