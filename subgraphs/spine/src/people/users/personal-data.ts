import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** A user (`usr_…`) who is being deleted. */
export interface DeletedPerson {
  readonly userId: string;
  readonly formerEmail: string;
  readonly replacementEmail: string;
}

/** Erases the personal data of a user where another slice stores it, in the transaction that deletes the user. */
export type PersonalDataEraser = (transaction: Transaction, person: DeletedPerson) => Promise<void>;

/** The erasers of the slices that store personal data of users. */
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
