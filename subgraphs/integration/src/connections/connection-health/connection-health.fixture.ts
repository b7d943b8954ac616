import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { IntegrationFixture } from "../../integration.fixture.js";

interface ShownConnection {
  readonly status: string;
  readonly health: string;
  readonly healthReason: string | null;
  readonly healthRunId: string | null;
  readonly lastRunId: string | null;
  readonly lastCheckedAt: string | null;
}

interface ShownRun {
  readonly runId: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** Makes and reads one tenant's connections. */
export class TenantConnections {
  readonly principal: Principal;
  readonly #fixture: IntegrationFixture;

  constructor(fixture: IntegrationFixture, principal: Principal) {
    this.#fixture = fixture;
    this.principal = principal;
  }

  /**
   * Establishes a connection to a vendor whose probe is GET /me, and waits until it is verified. Without `baseUrl` the
   * provider has no probe.
   */
  async make(
    baseUrl: string | undefined,
    input: Record<string, unknown> = {},
    waitSeconds = 20,
    more: Record<string, unknown> = {},
  ): Promise<string> {
    const driver = { probe: { method: "GET", path: "/me" }, ...more };
    const provider = {
      ...{ key: newId("prv").slice(4), displayName: "Vendor", category: "Other", authModel: "BearerToken" },
      ...(baseUrl !== undefined && { baseUrl, driver }),
    };
    const { registerProvider } = await this.#mutate(
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      { input: provider },
    );
    const { createConnection } = await this.#mutate(
      "mutation ($input: CreateConnectionInput!, $waitSeconds: Int) { createConnection(input: $input, waitSeconds: $waitSeconds) { connectionId } }",
      {
        waitSeconds,
        input: {
          providerId: registerProvider.providerId,
          ...{
            displayName: "Account",
            authMode: "BearerToken",
            credentialRef: await this.credential("good"),
            ...input,
          },
        },
      },
    );
    return createConnection.connectionId;
  }

  async credential(token: string): Promise<string> {
    const name = newId("crd").slice(4);
    await this.#mutate(
      "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }",
      { input: { name, kind: "BearerToken", secret: { token } } },
    );
    return name;
  }

  async revokedCredential(): Promise<string> {
    const name = await this.credential("good");
    const id = await this.#credentialId(name);
    await this.#mutate("mutation ($id: ID!) { revokeCredential(credentialId: $id) { status } }", { id });
    return name;
  }

  async rotate(name: string, token: string): Promise<void> {
    const input = { credentialId: await this.#credentialId(name), secret: { token } };
    await this.#mutate("mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) { status } }", {
      input,
    });
  }

  async #credentialId(name: string): Promise<string> {
    const { credentials } = await this.#mutate("{ credentials(first: 100) { items { credentialId name } } }", {});
    return credentials.items.find((item: { name: string }) => item.name === name)?.credentialId;
  }

  async check(connectionId: string): Promise<ShownRun> {
    const { checkConnectionHealth } = await this.#mutate(
      "mutation ($id: ID!) { checkConnectionHealth(connectionId: $id, waitSeconds: 20) { runId status error { code detail } } }",
      { id: connectionId },
    );
    return checkConnectionHealth;
  }

  async read(connectionId: string): Promise<ShownConnection> {
    const { connection } = await this.#mutate(
      "query ($id: ID!) { connection(connectionId: $id) { status health healthReason healthRunId lastRunId lastCheckedAt } }",
      { id: connectionId },
    );
    return connection;
  }

  /** The connection's events except its runs' events, with the run that caused them. */
  async events(connectionId: string): Promise<string[]> {
    const events = await this.#fixture.rows<{ type: string; run: string | null }>(
      `select envelope->>'type' as type, envelope->'data'->>'runId' as run from integration.outbox
       where tenant_id = $1 and envelope->>'subject' = $2 order by seq`,
      decodeId("ten", this.principal.tenantId ?? ""),
      `connections/${connectionId}`,
    );
    return events.map(({ type, run }) => (run === null ? type : `${type} by ${run}`));
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async #mutate(source: string, variables: Record<string, unknown>): Promise<any> {
    const { data, errors } = await this.#fixture.run(this.principal, source, variables);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }
}
