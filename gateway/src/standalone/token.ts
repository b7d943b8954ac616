import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { tenantScopes } from "@factory/schema/scopes";
import { toolEnvironment } from "./environment.js";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  type RunningPlatform,
  readJson,
} from "./platform-api.js";

/** `npm run -s token [-- --tenant demo --scopes "…"]`: prints an access token of a tenant's service client, made once. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { tenant: { type: "string", default: "demo" }, scopes: { type: "string" } },
  });
  const dataDir = resolve(toolEnvironment().dataDir);
  const platform = await readJson<RunningPlatform>(dataDir, "runtime.json").catch(() => {
    throw new Error(`No platform runs on ${dataDir}: start one with "npm start"`);
  });
  const client = await tenantClient(platform, dataDir, values.tenant);
  process.stdout.write(`${await accessToken(platform, client, values.scopes)}\n`);
}

async function tenantClient(platform: RunningPlatform, dataDir: string, slug: string): Promise<ClientCredentials> {
  const file = join("clients", `${slug}.json`);
  const known = await readJson<ClientCredentials>(dataDir, file).catch(() => undefined);
  if (known) return known;
  const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
  const tenant = await ensureTenant(platform, admin, slug, slug);
  const client = await createTenantClient(platform, admin, tenant.tenantId, {
    name: "npm run token",
    scopes: tenantScopes,
  });
  await mkdir(join(dataDir, "clients"), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, file), `${JSON.stringify(client, null, 2)}\n`, { mode: 0o600 });
  return client;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
