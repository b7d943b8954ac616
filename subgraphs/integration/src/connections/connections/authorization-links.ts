import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ConnectionRecord } from "./connection.view.js";

/**
 * Makes the address at which a person authorizes the connection; null when people cannot do that. The address must not
 * be stored.
 */
type MakeAuthorizationLink = (
  transaction: Transaction,
  connection: Pick<ConnectionRecord, "connectionId" | "providerId" | "authMode">,
) => Promise<string | null>;

/** The links from the slice below that leads people to vendors. */
export class AuthorizationLinks {
  #make: MakeAuthorizationLink = async () => null;

  makeWith(make: MakeAuthorizationLink): void {
    this.#make = make;
  }

  readonly makeIn: MakeAuthorizationLink = (transaction, connection) => this.#make(transaction, connection);
}
