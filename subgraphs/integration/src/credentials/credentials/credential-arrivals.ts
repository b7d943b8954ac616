import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { CredentialKind } from "@factory/schema/vocabularies/credentials";

/** A credential that a caller who may write credentials has just created. */
interface ArrivedCredential {
  readonly credentialId: string;
  readonly name: string;
  readonly kind: CredentialKind;
  /** Whether its secret names the only hosts to which it may be sent. */
  readonly hasHosts: boolean;
}

/** Called in the transaction that creates the credential, after its row is stored. */
export type CredentialArrivalHandler = (transaction: Transaction, arrived: ArrivedCredential) => Promise<void>;

/** The handlers for slices whose rows may name a credential before it exists. */
export class CredentialArrivals {
  readonly #handlers: CredentialArrivalHandler[] = [];

  add(handler: CredentialArrivalHandler): void {
    this.#handlers.push(handler);
  }

  async tell(transaction: Transaction, arrival: ArrivedCredential): Promise<void> {
    if (this.#handlers.length === 0) return;
    await transaction.em.flush();
    for (const handler of this.#handlers) await handler(transaction, arrival);
  }
}
