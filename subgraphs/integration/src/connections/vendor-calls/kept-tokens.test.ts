import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { StartedSubgraph } from "@factory/runtime/subgraph/start-subgraph";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { startIntegration } from "../../subgraph.js";
import { integrationTables } from "../../tables.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import { TokenEndpoint } from "./token-endpoint.js";
import { TokenStore } from "./token-store.js";
import { aVendorServer, type VendorServer } from "./vendor.fixture.js";
import { VendorCalls } from "./vendor-calls.js";
import { aVendorTarget, refusalOf } from "./vendor-connection.fixture.js";

const masterKeys = new MasterKeys(Buffer.alloc(32, 7));
let fixture: IntegrationFixture;
let database: Database;
let vendor: VendorServer;
/** The refresh token that the vendor takes, once. */
let refreshToken: string;
let grants: string[];
/** The token endpoint answers after this. */
let whenReleased: Promise<void>;

async function takeGrant(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request));
  const shownGrant = form.get("refresh_token") ?? form.get("code") ?? "";
  const isGood = shownGrant === refreshToken;
  grants.push(isGood ? "taken" : "refused");
  refreshToken = isGood ? `${shownGrant}+` : "none";
  await whenReleased;
  const tokens = { access_token: `access ${refreshToken}`, refresh_token: refreshToken, token_type: "Bearer" };
  if (isGood) response.writeHead(200).end(JSON.stringify({ ...tokens, expires_in: 600 }));
  else response.writeHead(400).end('{"error":"invalid_grant"}');
}

/** Holds the token endpoint's answers until the function that it returns is called. */
function hold(): () => void {
  let answer = () => {};
  whenReleased = new Promise((resolve) => {
    answer = resolve;
  });
  return () => answer();
}

beforeAll(async () => {
  [fixture, vendor] = await Promise.all([startIntegrationFixture({ masterKeys }), aVendorServer()]);
  vendor.serve("/token", (request, response) => void takeGrant(request, response));
  database = await Database.open(
    { connections: fixture.connections, ...integrationTables },
    createLogger("test", "silent"),
  );
});

beforeEach(() => {
  [refreshToken, grants, whenReleased] = ["r", [], Promise.resolve()];
});

afterAll(async () => {
  await database.close();
  await fixture.close();
  await vendor.close();
});

const target = (principal: Principal) =>
  aVendorTarget(fixture, principal, {
    ...{ authMode: "OAuth2AuthorizationCode", baseUrl: `${vendor.origin}/v1`, kind: "Custom" },
    secret: { clientId: "client", clientSecret: "secret" },
    driver: {
      oauth2: {
        ...{ tokenUrl: `${vendor.origin}/token`, authorizationUrl: `${vendor.origin}/authorize` },
        clientAuthentication: "client_secret_post",
      },
    },
  });

/** A connection whose access token has ended. */
async function expired(): Promise<VendorTarget> {
  const to = await target(aPrincipal());
  const { integration } = fixture;
  const tokens = await integration.get(TokenEndpoint).exchange(to, { grant_type: "authorization_code", code: "r" });
  await database.transaction(to.tenant, to.cause, (transaction) =>
    integration.get(TokenStore).store(transaction, to.connection.connectionId, tokens),
  );
  await end(to);
  grants = [];
  return to;
}

const uuidOf = ({ connection }: VendorTarget) => decodeId("con", connection.connectionId);
const end = (to: VendorTarget) =>
  fixture.rows("update integration.connection_tokens set expires_at = now() where connection_id = $1", uuidOf(to));
const call = (to: VendorTarget, by: StartedSubgraph = fixture.integration) =>
  by.get(VendorCalls).call(to, { purpose: "command", method: "GET", path: "/me", retry: "never" });

describe("the tokens of a renewal", () => {
  it("are kept in memory while the database does not store them", async () => {
    const to = await expired();
    await fixture.rows("create sequence integration.failures maxvalue 2");
    await fixture.rows(`create function integration.fail() returns trigger language plpgsql security definer as $$
      begin
        perform nextval('integration.failures');
        raise lock_not_available;
      exception when sequence_generator_limit_exceeded then return new;
      end $$`);
    await fixture.rows(`create trigger fail before update of ciphertext on integration.connection_tokens
      for each row execute function integration.fail()`);
    expect(await call(to)).toMatchObject({ status: 200 });
    await fixture.rows("drop trigger fail on integration.connection_tokens");
    await end(to);
    expect(await call(to)).toMatchObject({ status: 200 });
    expect(grants).toEqual(["taken", "taken"]);
  });

  it("are stored before the process stops", async () => {
    const to = await expired();
    const { connections, bus } = fixture;
    const logger = createLogger("test", "silent");
    const other = await startIntegration({ connections, bus, logger }, { masterKeys, allowLoopback: true });
    const answer = hold();
    const pendingCall = call(to, other).catch(() => undefined);
    await eventually(() => grants[0]);
    const pendingClose = other.close();
    await sleep(300);
    answer();
    await Promise.all([pendingClose, pendingCall]);
    const storedTokens = await fixture.integration.get(TokenStore).read(to);
    expect(storedTokens).toMatchObject({ refreshToken: "r++", isLeased: false });
  });
});

describe("the lease of a renewal", () => {
  it("lasts for the requests with both versions of the credential, and for the storage", async () => {
    const to = await expired();
    const answer = hold();
    const pendingCall = call(to);
    await eventually(() => grants[0]);
    const leases = await fixture.rows(
      "select from integration.connection_tokens where connection_id = $1 and leased_until > now() + interval '45 s'",
      uuidOf(to),
    );
    answer();
    await pendingCall;
    expect(leases).toHaveLength(1);
  });

  it("is not asked for while another process has it", async () => {
    const to = await expired();
    await fixture.rows("create sequence integration.tries");
    await fixture.rows(`create function integration.try() returns trigger language plpgsql security definer as $$
      begin
        perform nextval('integration.tries');
        return new;
      end $$`);
    await fixture.rows(`create trigger try before insert on integration.connection_tokens
      for each row execute function integration.try()`);
    await fixture.rows(
      "update integration.connection_tokens set leased_until = now() + interval '1 s' where connection_id = $1",
      uuidOf(to),
    );
    expect(await call(to)).toMatchObject({ status: 200 });
    await fixture.rows("drop trigger try on integration.connection_tokens");
    expect(await fixture.rows("select last_value::int from integration.tries")).toEqual([{ last_value: 1 }]);
  });

  it("is not given for a connection that is deleted", async () => {
    const principal = aPrincipal();
    const to = await target(principal);
    const { providerId } = to.connection;
    const { data: createdData } = await fixture.run(
      principal,
      "mutation ($input: CreateConnectionInput!) { createConnection(input: $input, waitSeconds: 20) { connectionId } }",
      { input: { providerId, displayName: "Account", authMode: "None" } },
    );
    const { connectionId } = createdData.createConnection;
    const { errors } = await fixture.run(
      principal,
      "mutation ($id: ID!) { deleteConnection(connectionId: $id) { connectionId } }",
      { id: connectionId },
    );
    expect(errors).toBeUndefined();
    const late = { ...to, connection: { ...to.connection, connectionId, authMode: "OAuth2ClientCredentials" } };
    expect(await refusalOf(call(late))).toMatchObject({ code: "INVALID_STATE" });
    expect([await fixture.integration.get(TokenStore).read(late), grants]).toEqual([undefined, []]);
  });
});
