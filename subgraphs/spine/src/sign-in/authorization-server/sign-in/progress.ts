import { accountError, type UserAccount } from "../accounts/user-accounts.js";
import type { KeptName, KeptValues } from "../factor-forms/kept-values.js";
import type { InteractionStep } from "./interaction-step.js";

/** A sign-in whose password was right, and that needs a second factor. */
interface StoredProgress {
  readonly userId: string;
  /** The value of the user when the password was checked. Another one: the password was replaced, or the user disabled. */
  readonly signInVersion: number;
  /** The methods (RFC 8176) that are proven. Absent until the second factor is. */
  readonly methods?: readonly string[];
}

/** How far a sign-in has come after the password. */
export interface Progress extends StoredProgress {
  readonly user: UserAccount;
}

const progressSeconds = 600;

const nameOf = (uid: string): KeptName => ({ kind: "SignInProgress", key: uid });

/** The progress of this sign-in. Undefined: the password is needed first, also because the user was revoked meanwhile. */
export async function progressOf(
  { kept, accounts }: Pick<InteractionStep, "accounts"> & { kept: KeptValues },
  uid: string,
  client: InteractionStep["client"],
): Promise<Progress | undefined> {
  const stored = await kept.read<StoredProgress>(nameOf(uid));
  const user = stored && (await accounts.byId(stored.userId));
  if (!stored || !user || accountError(user, client) || stored.signInVersion !== user.signInVersion) return undefined;
  return { ...stored, user };
}

/** Stores how far the sign-in has come. It is forgotten after ten minutes. */
export function keepProgress(
  { kept, interaction }: InteractionStep,
  { userId, signInVersion, methods }: StoredProgress,
): Promise<void> {
  const stored: StoredProgress = { userId, signInVersion, ...(methods ? { methods } : {}) };
  return kept.keep(nameOf(interaction.uid), stored, progressSeconds);
}

/** Forgets it, because the sign-in ends. */
export async function endProgress({ kept, interaction }: InteractionStep): Promise<void> {
  await kept.take(nameOf(interaction.uid));
}
