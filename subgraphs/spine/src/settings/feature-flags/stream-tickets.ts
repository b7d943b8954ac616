import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";

const purpose = "an event stream of feature flags";

/** Seals an access token for an event stream's address. It is useless at any other address. */
export class StreamTickets {
  readonly #seal: ValueSeal;

  constructor(masterKeys: MasterKeys) {
    this.#seal = new ValueSeal(masterKeys.keyring("factory spine flag stream tickets"));
  }

  seal(token: string): string {
    return this.#seal.seal(token, purpose);
  }

  /** The token; undefined for a ticket that was not sealed here, or was changed. */
  open(ticket: string): string | undefined {
    try {
      return this.#seal.open(ticket, purpose).text;
    } catch {
      return undefined;
    }
  }
}
