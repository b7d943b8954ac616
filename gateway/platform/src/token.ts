import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { tenantScopes } from "@factory/schema/scopes";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  failTool,
  type RunningPlatform,
  readJson,
  runningPlatform,
} from "./client/platform-api.js";
import { toolEnvironment } from "./settings/environment.js";

const usage = `npm run -s token                               an access token with every scope of the tenant "demo"
npm run -s token -- --tenant acme              the same for another tenant
npm run -s token -- --scopes "templates.read"  with these scopes only
Tenant and client are made when they are missing. The token lasts for 15 minutes.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { tenant: { type: "string", default: "demo" }, scopes: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help) return void process.stdout.write(usage);
  const dataDir = resolve(toolEnvironment().dataDir);
  const platform = await runningPlatform(dataDir);
  const client = await tenantClient(platform, dataDir, values.tenant);
  process.stdout.write(`${await accessToken(platform, client, values.scopes)}\n`);
}

async function tenantClient(platform: RunningPlatform, dataDir: string, slug: string): Promise<ClientCredentials> {
  const file = join("clients", `${slug}.json`);
  const storedClient = await readJson<ClientCredentials>(dataDir, file).catch(() => undefined);
  if (storedClient) return storedClient;
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

main().catch(failTool(usage));
