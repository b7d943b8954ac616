import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { isWeaker } from "./advisory-protection.js";
import { type StoredAdvisory, storedPackages } from "./advisory-writing-statement.js";
import type { ReadAdvisory } from "./osv-document.js";

/** An import's outcome for one advisory copy. The answer counts the copies by outcome. */
export type Fate = "imported" | "unchanged" | "ignored" | "refused";

/** Chooses between an advisory copy and the stored one. */
interface CopyChoice {
  of(copy: ReadAdvisory, stored: StoredAdvisory): Fate | Promise<Fate>;
}

/** Takes the copy that its database changed last. */
export const newestCopy: CopyChoice = {
  of: (copy, storedCopy) => (isNewer(copy, storedCopy) ? "imported" : "unchanged"),
};

/**
 * The choice where advisories decide about publishing. A weaker copy replaces the stored one only if the caller may weaken
 * advisories. An older copy replaces a weaker stored one, which anybody may have imported before it under a later time.
 */
export class ProtectedChoice implements CopyChoice {
  readonly #transaction: Transaction;
  readonly #mayWeaken: boolean;

  constructor(transaction: Transaction, mayWeaken: boolean) {
    this.#transaction = transaction;
    this.#mayWeaken = mayWeaken;
  }

  async of(copy: ReadAdvisory, storedCopy: StoredAdvisory): Promise<Fate> {
    const isCopyNewer = isNewer(copy, storedCopy);
    if (isCopyNewer && this.#mayWeaken) return "imported";
    // one advisory at a time, because 100 of them may have millions of versions
    const present = { ...storedCopy, packages: await storedPackages(this.#transaction, copy.advisoryId) };
    if (isCopyNewer) return (await isWeaker(copy, present)) ? "refused" : "imported";
    return (await isWeaker(present, copy)) ? "imported" : "unchanged";
  }
}

function isNewer(copy: ReadAdvisory, storedCopy: StoredAdvisory): boolean {
  return storedCopy.modifiedAt.getTime() < copy.modifiedAt.getTime();
}
