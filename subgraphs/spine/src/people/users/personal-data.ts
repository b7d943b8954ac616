import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** A user (`usr_…`) who is being deleted. */
export interface DeletedPerson {
  readonly userId: string;
  readonly formerEmail: string;
  readonly replacementEmail: string;
}

/** Erases a user's personal data where another slice stores it, in the transaction that deletes the user. */
export type PersonalDataEraser = (transaction: Transaction, person: DeletedPerson) => Promise<void>;

/** The erasers in the slices that store users' personal data. */
export class PersonalDataErasers {
  readonly #erasers: PersonalDataEraser[] = [];

  add(eraser: PersonalDataEraser): void {
    this.#erasers.push(eraser);
  }

  /** Calls the erasers one after the other. */
  readonly erase: PersonalDataEraser = async (transaction, person) => {
    for (const eraser of this.#erasers) await eraser(transaction, person);
  };
}
