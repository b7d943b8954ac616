import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { isWeaker } from "./advisory-protection.js";
import { type StoredAdvisory, storedPackages } from "./advisory-writing-statement.js";
import type { ReadAdvisory } from "./osv-document.js";

/** The outcome of an import for one copy of an advisory. The answer counts the copies by outcome. */
export type Fate = "imported" | "unchanged" | "ignored" | "refused";

/** Chooses between a copy of an advisory and the stored one. */
interface CopyChoice {
  of(copy: ReadAdvisory, stored: StoredAdvisory): Fate | Promise<Fate>;
}

/** Takes the copy that its database changed last. */
export const newestCopy: CopyChoice = {
  of: (copy, stored) => (isNewer(copy, stored) ? "imported" : "unchanged"),
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

  async of(copy: ReadAdvisory, stored: StoredAdvisory): Promise<Fate> {
    const isCopyNewer = isNewer(copy, stored);
    if (isCopyNewer && this.#mayWeaken) return "imported";
    // one advisory at a time, because 100 of them may have millions of versions
    const present = { ...stored, packages: await storedPackages(this.#transaction, copy.advisoryId) };
    if (isCopyNewer) return (await isWeaker(copy, present)) ? "refused" : "imported";
    return (await isWeaker(present, copy)) ? "imported" : "unchanged";
  }
}

function isNewer(copy: ReadAdvisory, stored: StoredAdvisory): boolean {
  return stored.modifiedAt.getTime() < copy.modifiedAt.getTime();
}
