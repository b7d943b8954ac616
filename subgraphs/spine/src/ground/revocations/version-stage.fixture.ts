import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Revocation } from "@factory/runtime/auth/revocations";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Scope } from "@factory/schema/scopes";
import { decodeJwt } from "jose";
import pg from "pg";
import { aRoleOf, aUser, type TestUser } from "../../people/users/user.fixture.js";
import { type Json, platformAdmin, type RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { type Spine, startSpine } from "../../subgraph.js";
import type { PartyClocks } from "./party-clocks.fixture.js";
import { raiseVersion } from "./raise-version.fixture.js";

/** Eight scopes: each subset shows a number. */
const digits: readonly Scope[] = [
  "templates.read",
  "templates.write",
  "libraries.read",
  "libraries.write",
  "config.read",
  "notification.read",
  "report.read",
  "jobs.read",
];
const scopesOf = (version: number) => digits.filter((_, place) => ((version + 1) >> place) & 1);
const versionOfScopes = (scope: string) =>
  scope.split(" ").reduce((sum, digit) => sum + 2 ** digits.indexOf(digit as Scope), 0) - 1;

/** A token's facts, which show from which state they are for each subject. The claim `versions` is not used. */
export interface IssuedFacts {
  readonly token: string;
  readonly held: readonly { kind: "Principal" | "Client"; subject: string; version: number }[];
  readonly grantId: string | undefined;
  readonly tenantVersion: number;
}

/** A sign-in whose refresh tokens are used one after the other. */
interface Family {
  refreshToken: string | undefined;
  isBusy: boolean;
}

export const changeKinds = ["role", "password", "client", "service", "serviceRole", "tenant"] as const;
export type ChangeKind = (typeof changeKinds)[number];
export type IssueKind = "refresh" | "service" | "exchange";

interface TestClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A rights change whose transaction is open. */
export interface OpenChange {
  readonly kind: ChangeKind;
  readonly revoked: readonly [kind: Revocation["kind"], subject: string, version: number];
  end(how: "commit" | "rollback"): Promise<void>;
}

/**
 * A tenant with a person, the person's sign-in client, a service and an agent, and two processes that issue their
 * tokens. Every rights change writes the version that it reaches into a fact that tokens show.
 */
export class VersionStage {
  isClosed = false;
  readonly issued: IssuedFacts[] = [];
  readonly #families: Family[] = [];
  /** The role's ID by its holder. */
  readonly #roles = new Map<string, string>();
  readonly #servers: Server[] = [];
  readonly #bases: string[] = [];
  /** Connects as superuser. */
  readonly #connections: pg.Pool;
  #second: Spine | undefined;
  #user!: TestUser;
  #desk!: TestClient;
  #service!: TestClient;
  #agent!: TestClient;
  #tenantId = "";

  private constructor(
    readonly platform: RunningSpine,
    readonly clocks: PartyClocks,
  ) {
    const { connectionString } = platform.admin.options;
    this.#connections = new pg.Pool({ connectionString, max: 8, options: "-c search_path=spine" });
  }

  static async start(platform: RunningSpine, clocks: PartyClocks, offsets: readonly [number, number]) {
    const stage = new VersionStage(platform, clocks);
    await stage.#set();
    stage.#second = await startSpine(platform.host, { ...testSettings, rateLimitFactor: 1000 });
    for (const [place, spine] of [platform.spine, stage.#second].entries()) {
      const server = createServer((request, response) =>
        clocks.run(offsets[place] ?? 0, () => spine.authorizationServer.handle(request, response)),
      );
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      stage.#servers.push(server);
      stage.#bases.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    return stage;
  }

  async #set(): Promise<void> {
    const { admin } = this.platform;
    this.#tenantId = await this.platform.activeTenant("stage");
    await admin.query("update tenants set slug = 'stage-0' where tenant_id = $1", [decodeId("ten", this.#tenantId)]);
    this.#user = await aUser(this.platform, this.#tenantId, digits);
    this.#desk = await this.#client({ grantTypes: ["password", "refresh_token"], firstParty: true });
    this.#service = await this.#client({ grantTypes: ["client_credentials"] });
    const grantTypes = ["urn:ietf:params:oauth:grant-type:token-exchange"];
    this.#agent = await this.#client({ grantTypes, principalType: "Agent" });
    await aRoleOf(this.platform, this.#tenantId, this.#service.clientId, digits);
    for (const { clientId } of [this.#desk, this.#service])
      await admin.query("update api_clients set scopes = $2 where client_id = $1", [clientId, scopesOf(0)]);
    for (const principal of [this.#user.userId, this.#service.clientId]) {
      const assignedRole = "select role_id from role_assignments where principal_id = $1";
      const { rows } = await admin.query<{ role_id: string }>(assignedRole, [principal]);
      this.#roles.set(principal, rows[0]?.role_id ?? "");
      await this.#nameRole(admin, principal, 0);
    }
  }

  async #client(input: Record<string, unknown>): Promise<TestClient> {
    const { data, errors } = await this.platform.ask(
      platformAdmin(),
      `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
        createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
      { tenantId: this.#tenantId, input: { name: "stage", scopes: digits, ...input } },
    );
    if (!data) throw new Error(JSON.stringify(errors));
    return data["createTenantApiClient"];
  }

  /** A role's code shows its only holder's version. Its assignment is neither read nor changed. */
  async #nameRole(connection: Pick<pg.ClientBase, "query">, principal: string, version: number): Promise<void> {
    const code = `${principal.slice(-6)}v${version}`;
    await connection.query("update roles set code = $2 where role_id = $1", [this.#roles.get(principal), code]);
  }

  /**
   * Begins a rights change. `isFirst`: the version is raised before the facts change. `locksVersions`: a statement that
   * reads versions waits until the change has ended, and no other one does.
   */
  async change(kind: ChangeKind, options: { isFirst: boolean; locksVersions: boolean }): Promise<OpenChange> {
    const connection = await this.#connections.connect();
    await connection.query("begin");
    const [revokedKind, subject] = this.#subjectOf(kind);
    const raise = () => raiseVersion(connection, this.#tenantId, revokedKind, subject);
    if (options.isFirst) await raise();
    const { rows } = await connection.query<{ version: number }>(
      "select coalesce(max(version), 0)::int as version from subject_versions where kind = $1 and subject = $2",
      [revokedKind.startsWith("Tenant") ? "Tenant" : revokedKind, subject],
    );
    const version = (rows[0]?.version ?? 0) + (options.isFirst ? 0 : 1);
    await this.#changeFacts(connection, kind, version);
    if (!options.isFirst) await raise();
    if (options.locksVersions) await connection.query("lock table subject_versions in access exclusive mode");
    await connection.query("select pg_notify('spine_revocations', '')");
    return {
      kind,
      revoked: [revokedKind, subject, version],
      end: async (how) => {
        await connection.query(how);
        connection.release();
        if (how === "commit" && kind === "tenant") this.isClosed = !this.isClosed;
      },
    };
  }

  #subjectOf(kind: ChangeKind): [Revocation["kind"], string] {
    if (kind === "tenant") return [this.isClosed ? "TenantOpened" : "TenantClosed", this.#tenantId];
    if (kind === "client") return ["Client", this.#desk.clientId];
    if (kind === "service") return ["Client", this.#service.clientId];
    return ["Principal", kind === "serviceRole" ? this.#service.clientId : this.#user.userId];
  }

  async #changeFacts(connection: pg.ClientBase, kind: ChangeKind, version: number): Promise<void> {
    const [, subject] = this.#subjectOf(kind);
    if (kind === "tenant")
      await connection.query("update tenants set slug = $2, status = $3 where tenant_id = $1", [
        decodeId("ten", subject),
        `stage-${version}`,
        this.isClosed ? "Active" : "Suspended",
      ]);
    else if (kind === "client" || kind === "service")
      await connection.query("update api_clients set scopes = $2 where client_id = $1", [subject, scopesOf(version)]);
    else await this.#nameRole(connection, subject, version);
    if (kind === "password")
      await connection.query("update users set sign_in_version = sign_in_version + 1 where user_id = $1", [
        decodeId("usr", subject),
      ]);
  }

  /** Lets every request wait that is about to read roles, until the returned function is called. */
  async pause(): Promise<() => Promise<void>> {
    const connection = await this.#connections.connect();
    await connection.query("begin");
    await connection.query("lock table role_assignments in access exclusive mode");
    return async () => {
      await connection.query("rollback");
      connection.release();
    };
  }

  /** Ends all sign-ins for the test, and begins others. Does nothing while the tenant is closed. */
  async signInAgain(count: number): Promise<void> {
    for (const process of [0, 1]) await until(() => this.#isReady(process));
    this.#families.length = 0;
    for (let index = 0; index < count; index += 1) {
      const { email, password } = this.#user;
      const body = await this.#ask(0, this.#desk, { grant_type: "password", username: email, password });
      if (!body["refresh_token"]) throw new Error(JSON.stringify(body));
      this.#families.push({ refreshToken: body["refresh_token"], isBusy: false });
    }
  }

  async #isReady(process: number): Promise<boolean> {
    const body = await this.#ask(process, this.#service, { grant_type: "client_credentials" });
    return body["access_token"] !== undefined;
  }

  /** Asks one process for a token. The token, if there is one, is noted with the facts that it shows. */
  async issue(kind: IssueKind, process: number): Promise<void> {
    if (kind === "refresh") return this.#refresh(process);
    if (kind === "service") {
      const body = await this.#ask(process, this.#service, { grant_type: "client_credentials" });
      return this.#note(body["access_token"]);
    }
    const subject = this.issued.at(-1);
    if (!subject) return;
    const body = await this.#ask(process, this.#agent, {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: subject.token,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      agent_task_id: "stage",
    });
    if (body["access_token"] === undefined) return;
    const { clientId } = this.#agent;
    // the subject token's clients are the new token's clients too
    const { held } = subject;
    const tenantVersion = tenantVersionOf(body["access_token"]);
    const agentVersion = { kind: "Client", subject: clientId, version: 0 } as const;
    this.issued.push({ ...subject, token: body["access_token"], held: [...held, agentVersion], tenantVersion });
  }

  async #refresh(process: number): Promise<void> {
    const family = this.#families.find(({ isBusy, refreshToken }) => !isBusy && refreshToken !== undefined);
    if (family?.refreshToken === undefined) return;
    family.isBusy = true;
    const form = { grant_type: "refresh_token", refresh_token: family.refreshToken };
    const body = await this.#ask(process, this.#desk, form);
    family.isBusy = false;
    family.refreshToken = body["refresh_token"];
    this.#note(body["access_token"]);
  }

  #note(token: string | undefined): void {
    if (token === undefined) return;
    const {
      sub,
      client_id: client,
      roles,
      scope,
      grantId,
    } = decodeJwt<Record<string, Json>>(token) as Record<string, Json>;
    const heldVersions = [
      { kind: "Principal", subject: sub, version: Number(String(roles[0]).split("v").at(-1)) } as const,
      { kind: "Client", subject: client, version: versionOfScopes(scope) } as const,
    ];
    this.issued.push({ token, held: heldVersions, grantId, tenantVersion: tenantVersionOf(token) });
  }

  async #ask(process: number, { clientId, clientSecret }: TestClient, form: Record<string, string>) {
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    const body = new URLSearchParams(form);
    const at = `${this.#bases[process]}/connect/token`;
    const answer = await fetch(at, { method: "POST", body, headers: { authorization } });
    // a process gives a request up that the test's lock has held for too long
    if (answer.status === 503) return {};
    if (answer.status >= 429) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, Json>;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) server.close();
    await this.#second?.close();
    await this.#connections.end();
  }
}

const tenantVersionOf = (token: string) => Number(String(decodeJwt(token)["tenantSlug"]).split("-").at(-1));
