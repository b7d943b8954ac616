import { randomBytes, randomUUID } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ConnectionRecord } from "../connections/connection.view.js";
import { forgetLinks, insertLink } from "./authorization-statements.js";
import { digestOf } from "./digest.js";

/** How long a link, and then the way to the vendor and back, may take. */
export const authorizationMs = 10 * 60_000;

interface LinkSettings {
  readonly providers: ProviderService;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly clock: () => Date;
}

/** Makes the links by which people authorize connections. */
export class ConnectionLinks {
  readonly #settings: LinkSettings;

  constructor(settings: LinkSettings) {
    this.#settings = settings;
  }

  /**
   * A new link, which replaces the connection's earlier one. Null when people cannot authorize the connection: it has
   * another mode, or its provider names no page.
   */
  async makeIn(
    transaction: Transaction,
    { connectionId, providerId, authMode }: Pick<ConnectionRecord, "connectionId" | "providerId" | "authMode">,
  ): Promise<string | null> {
    const { providers, publicUrl, clock } = this.#settings;
    if (authMode !== "OAuth2AuthorizationCode") return null;
    const { defer, tenant, cause } = transaction;
    const provider = await providers.record(tenant, providerId);
    if (provider?.driver.oauth2?.authorizationUrl === undefined) return null;
    const ticket = randomBytes(32).toString("base64url");
    const connection = decodeId("con", connectionId);
    await defer(forgetLinks, [tenant.uuid, connection]);
    const values = insertLink.valuesOf({
      ...{ tenant: tenant.uuid, authorization: randomUUID(), connection, ticketHash: digestOf(ticket) },
      requestedBy: cause.actorId ?? "platform",
      expiresAt: new Date(clock().getTime() + authorizationMs).toISOString(),
    });
    await defer(insertLink, values);
    return `${publicUrl}${startPath}${ticket}`;
  }
}

/** The page that a link leads to. A ticket follows. */
export const startPath = "/integrations/oauth/start/";
