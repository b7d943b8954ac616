import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Called in the transaction in which a user (`usr_…`) sets a new password by a mailed link. */
export type PasswordResetNotice = (transaction: Transaction, userId: string) => Promise<void>;

/** The handlers in the slices that have something to tell after a reset. */
export class PasswordResetNotices {
  readonly #notices: PasswordResetNotice[] = [];

  add(notice: PasswordResetNotice): void {
    this.#notices.push(notice);
  }

  async tell(transaction: Transaction, userId: string): Promise<void> {
    for (const notice of this.#notices) await notice(transaction, userId);
  }
}
