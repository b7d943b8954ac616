import { accountError, type UserAccount } from "../accounts/user-accounts.js";
import type { KeptName, KeptValues } from "../factor-forms/kept-values.js";
import type { InteractionStep } from "./interaction-step.js";

/** A sign-in whose password was right, and that needs a second factor. */
interface StoredProgress {
  readonly userId: string;
  /** The user's value when the password was checked. Another one: the password was replaced, or the user disabled. */
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

/** This sign-in's progress. Undefined: the password is needed first, also because the user was revoked meanwhile. */
export async function progressOf(
  { kept, accounts }: Pick<InteractionStep, "accounts"> & { kept: KeptValues },
  uid: string,
  client: InteractionStep["client"],
): Promise<Progress | undefined> {
  const storedProgress = await kept.read<StoredProgress>(nameOf(uid));
  const user = storedProgress && (await accounts.byId(storedProgress.userId));
  if (!storedProgress || !user || accountError(user, client) || storedProgress.signInVersion !== user.signInVersion)
    return undefined;
  return { ...storedProgress, user };
}

/** Stores how far the sign-in has come. It is forgotten after ten minutes. */
export function keepProgress(
  { kept, interaction }: InteractionStep,
  { userId, signInVersion, methods }: StoredProgress,
): Promise<void> {
  const progress: StoredProgress = { userId, signInVersion, ...(methods ? { methods } : {}) };
  return kept.keep(nameOf(interaction.uid), progress, progressSeconds);
}

/** Forgets it, because the sign-in ends. */
export async function endProgress({ kept, interaction }: InteractionStep): Promise<void> {
  await kept.take(nameOf(interaction.uid));
}
