import { randomBytes } from "node:crypto";
import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { suiteRoles } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import pg from "pg";
import { EmbeddedSecretStore } from "../../credentials/credentials/embedded-secret-store.js";
import { generateSigningSecret } from "../../ground/standard-webhooks/signing-secret.js";
import { anEvent, aPrincipal, eventually } from "../../integration.fixture.js";
import { startIntegration } from "../../subgraph.js";
import { integrationTables } from "../../tables.js";
import { WebhookReceiver } from "./webhook-receiver.fixture.js";

const logger = createLogger("test", "silent");
const masterKeys = new MasterKeys(randomBytes(32));
let database: SuiteDatabase;
let admin: pg.Pool;
let receiver: WebhookReceiver;

beforeAll(async () => {
  database = await aSuiteDatabase("provisioned");
  admin = new pg.Pool({ connectionString: database.url, max: 2 });
  admin.on("error", () => undefined);
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await receiver.stop();
  await admin.end();
  await database.close();
});

const principal = aPrincipal();
const tenantId = principal.tenantId ?? "";
const tenant = decodeId("ten", tenantId);
const newUuid = (prefix: "msg" | "whs") => decodeId(prefix, newId(prefix));

/** A message as the schema before the dispatcher held it. */
async function formerMessage(
  subscription: string | undefined,
  state: [string, number, string | null],
): Promise<string> {
  const event = anEvent(principal);
  const { rows } = await admin.query<{ position: string }>(
    "insert into integration.event_log (tenant_id, event_id, type, envelope) values ($1, $2, $3, $4) returning position",
    [tenant, decodeId("evt", event.id), event.type, JSON.stringify(event)],
  );
  await admin.query(
    `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
       status, attempts, next_attempt_at) values ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9::interval)`,
    [tenant, newUuid("msg"), subscription, decodeId("evt", event.id), event.type, rows[0]?.position, ...state],
  );
  return event.id;
}

async function formerSubscription(): Promise<string | undefined> {
  const credentialId = newId("crd");
  const sealedSecret = await new EmbeddedSecretStore(masterKeys).seal(
    { tenantId, credentialId, version: 1 },
    { signingSecret: generateSigningSecret() },
  );
  const credential = decodeId("crd", credentialId);
  await admin.query(
    "insert into integration.credentials values ($1, $2, 'hook', 'WebhookSigning', 1, 'Active', now())",
    [tenant, credential],
  );
  await admin.query(
    `insert into integration.credential_versions (tenant_id, credential_id, version, stage, key_id, wrapped_key, ciphertext,
       created_at) values ($1, $2, 1, 'Current', $3, $4, $5, now())`,
    [tenant, credential, sealedSecret.keyId, sealedSecret.wrappedKey, sealedSecret.ciphertext],
  );
  const subscription = newUuid("whs");
  await admin.query(
    `insert into integration.webhook_subscriptions (tenant_id, subscription_id, event_type, endpoint_url, signing_secret_ref,
       credential_id, content_type, status, created_at)
     values ($1, $2, 'TemplateRegistered', $3, 'hook', $4, 'application/json', 'Active', now())`,
    [tenant, subscription, receiver.url("/hook").replace("http", "HTTP"), credential],
  );
  return subscription;
}

describe("a database whose deliveries were jobs", () => {
  it("delivers what it left waiting, and keeps no queue of attempts", async () => {
    await provisionDatabase(database.url, ["integration"], suiteRoles);
    const connections = schemaConnections(database.access, "integration");
    const { migrations, ...tables } = integrationTables;
    const ours = migrations.findIndex(({ name }) => name.includes("webhook_dispatch"));
    await migrate({ connections, ...tables, migrations: migrations.slice(0, ours) });
    const subscription = await formerSubscription();
    const due = [
      await formerMessage(subscription, ["Pending", 0, null]),
      await formerMessage(subscription, ["Delivering", 1, null]),
      await formerMessage(subscription, ["RetryScheduled", 2, "1 second"]),
    ];
    const later = await formerMessage(subscription, ["RetryScheduled", 3, "1 hour"]);
    await formerMessage(subscription, ["Delivered", 1, null]);
    const bus = await PostgresBus.open(connections.worker, logger);
    const start = () => startIntegration({ connections, bus, logger }, { masterKeys, allowLoopback: true });
    let integration = await start();
    await integration.close();
    await admin.query(
      "select integration_jobs.create_queue('integration.webhook-attempt', '{\"policy\":\"standard\"}')",
    );
    integration = await start();
    try {
      await eventually(() => (receiver.received.length === 3 ? true : undefined));
      expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(due));
      const { rows: waiting } = await admin.query(
        `select 'evt' as kind, origin, next_attempt_at > now() + interval '50 minutes' as later
         from integration.webhook_messages where event_id = $1`,
        [decodeId("evt", later)],
      );
      expect(waiting).toEqual([{ kind: "evt", origin: new URL(receiver.url("/")).origin, later: true }]);
      const { rows: queues } = await admin.query(
        "select name from integration_jobs.queue where name like 'integration.webhook%'",
      );
      expect(queues).toEqual([]);
    } finally {
      await integration.close();
      await bus.close();
    }
  });
});
