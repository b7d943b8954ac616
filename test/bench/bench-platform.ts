import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { samplePack, writeTemplateRepository } from "@factory/platform/assembly/sample-repository";
import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Scope } from "@factory/schema/scopes";
import pg from "pg";
import type { BareServerOrder } from "./bare-server.js";

/** Scopes for a partner that generates projects. A token, and the time to verify it, grows with its scopes. */
export const partnerScopes: readonly Scope[] = [
  "templates.read",
  "templates.write",
  "templates.execute",
  "libraries.read",
  "webhooks.subscriptions.write",
  "integration.providers.read",
  "integration.providers.write",
];

interface Template {
  /** The id that the platform has given to the template. */
  readonly templateId: string;
  readonly uuid: string;
}

/** Two servers in separate processes that share one PostgreSQL with rows to read. */
export interface Stage {
  readonly platform: PlatformProcess;
  readonly bare: { readonly url: string; readonly pid: number };
  readonly postgresPid: number;
  /** The connection URL for the cluster's superuser. */
  readonly databaseUrl: string;
  readonly tenantUuid: string;
  readonly client: ClientCredentials;
  readonly token: string;
  readonly templates: readonly Template[];
}

const templateCount = 50;
/** The factor lifts the rate limits above every load that the bench makes. */
export const rateLimitFactor = "100000";

/** `checkout` is a folder with another release, which is built there. */
export async function onStage<T>(play: (stage: Stage) => Promise<T>, checkout?: string): Promise<T> {
  const dataDir = await temporaryDataDirectory();
  const workDir = await mkdtemp(join(tmpdir(), "factory-bench-"));
  let platform: PlatformProcess | undefined;
  try {
    platform = await startPlatformProcess(dataDir, { RATE_LIMIT_FACTOR: rateLimitFactor }, undefined, checkout);
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "bench", "Bench");
    const client = await createTenantClient(platform, admin, tenantId, { name: "bench", scopes: partnerScopes });
    const token = await accessToken(platform, client);
    const templates = await registerTemplates(platform, token, workDir);
    const postgres = await readJson<PostgresRecord>(dataDir, "postgres.json");
    const databaseUrl = `postgres://${postgres.user}:${postgres.password}@${postgres.host}:${postgres.port}/postgres`;
    await makeBareTables(databaseUrl);
    const tenantUuid = uuidOf("ten", tenantId);
    const bare = await startBareServer({ databaseUrl, tenantUuid });
    try {
      return await play({
        platform,
        bare,
        postgresPid: postgres.pid,
        databaseUrl,
        tenantUuid,
        client,
        token,
        templates,
      });
    } finally {
      bare.stop();
    }
  } finally {
    await platform?.stop();
    await removeData(dataDir);
    await rm(workDir, { recursive: true, force: true });
  }
}

interface PostgresRecord {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly pid: number;
}

function uuidOf(prefix: "ten" | "tpl", id: string): string {
  const uuid = decodeId(prefix, id);
  if (uuid === undefined) throw new Error(`${id} is not an id with the prefix ${prefix}`);
  return uuid;
}

/** Registers templates with one version each, which is read from a real repository. */
async function registerTemplates(platform: PlatformProcess, token: string, workDir: string): Promise<Template[]> {
  const repository = join(workDir, "template.git");
  await writeTemplateRepository(samplePack, repository);
  const sourceRef = `git+${pathToFileURL(repository).href}#main`;
  const version = {
    semanticVersion: "1.0.0",
    sourceRef,
    engineKind: "DotnetNewTemplatePack",
    targetFramework: "net8.0",
    parameterSchema: { type: "object", properties: { Description: { type: "string" } } },
  };
  const post = async <T>(path: string, body: unknown) =>
    (await call<T>("POST", platform.publicUrl + path, { token, body })).body;
  const register = async (place: number): Promise<Template> => {
    const { templateId } = await post<{ templateId: string }>("/v1/templates", {
      name: `template-${place}`,
      category: "Service",
    });
    await post(`/v1/templates/${templateId}/versions`, version);
    return { templateId, uuid: uuidOf("tpl", templateId) };
  };
  // one after the other, so that a busy machine refuses none
  const templates: Template[] = [];
  while (templates.length < templateCount) templates.push(await register(templates.length));
  return templates;
}

/**
 * Creates the tables that a POST writes, with the same columns and keys, but without policies and without the trigger
 * that wakes the relay.
 */
async function makeBareTables(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("create schema bare");
    for (const table of ["templates", "outbox"])
      await client.query(`create table bare.${table} (like catalog.${table} including all)`);
    await client.query("create table bare.webhook_deliveries (like integration.webhook_deliveries including all)");
  } finally {
    await client.end();
  }
}

async function startBareServer(order: BareServerOrder) {
  const child = fork(fileURLToPath(new URL("bare-server.js", import.meta.url)));
  child.send(order);
  const [url] = (await once(child, "message")) as [string];
  return { url, pid: child.pid ?? 0, stop: () => child.kill() };
}
