import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ConnectionType } from "../connections/connection.type.js";
import { connectionView } from "../connections/connection.view.js";
import { lockedConnection } from "../connections/locked-connection.js";
import type { ConnectionLinks } from "./authorization-links.js";

/** Makes a new link for a connection that a person authorizes. */
export class ReauthorizationService {
  readonly #database: Database;
  readonly #links: ConnectionLinks;

  constructor(database: Database, links: ConnectionLinks) {
    this.#database = database;
    this.#links = links;
  }

  /**
   * Returns the connection with a new link. The link is never stored, because anyone who has it can use it, so a replay
   * returns no link.
   */
  async reauthorize(context: RequestContext, connectionId: string): Promise<ConnectionType> {
    let newLink: { readonly view: ConnectionType; readonly url: string } | undefined;
    const connection = await idempotentMutation(this.#database, context, {
      field: "reauthorizeConnection",
      arguments: { connectionId },
      commit: async (transaction) => {
        const authorizedConnection = await lockedConnection(transaction, connectionId);
        const url = await this.#links.makeIn(transaction, authorizedConnection);
        if (url === null) throw notByPeople(authorizedConnection.authMode);
        const view = connectionView(authorizedConnection);
        newLink = { view, url };
        return view;
      },
    });
    if (newLink?.view === connection) connection.authorizationUrl = newLink.url;
    return connection;
  }
}

const notByPeople = (authMode: string) =>
  new DomainError("AUTH_MODE_NOT_SUPPORTED", {
    detail:
      authMode === "OAuth2AuthorizationCode"
        ? "The provider names no authorizationUrl in its driver, so people cannot authorize the connection."
        : `A connection with the authMode ${authMode} is not authorized by people. Change its credential instead.`,
  });
