import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Replaces the address of a deleted user (`usr_…`) where another slice stores it, in the transaction that deletes the user. */
export type PersonalDataEraser = (transaction: Transaction, userId: string, replacementEmail: string) => Promise<void>;

/** The erasers of the slices that store personal data of users. */
export class PersonalDataErasers {
  readonly #erasers: PersonalDataEraser[] = [];

  add(eraser: PersonalDataEraser): void {
    this.#erasers.push(eraser);
  }

  /** Calls the erasers one after the other. */
  readonly erase: PersonalDataEraser = async (transaction, userId, replacementEmail) => {
    for (const eraser of this.#erasers) await eraser(transaction, userId, replacementEmail);
  };
}
