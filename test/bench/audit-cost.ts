import { fileURLToPath } from "node:url";
import {
  accessToken,
  type ClientCredentials,
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
import { partnerScopes, rateLimitFactor, type Stage } from "./bench-platform.js";
import { type Contestant, interleave, type Rounds } from "./interleave.js";
import { type Table, tableOf } from "./report.js";

const goal = 1.05;
const withoutAudit = fileURLToPath(new URL("without-audit.js", import.meta.url));

/** Compares a POST on two platforms, the second without audit records. The relays and consumers of both are counted. */
export async function auditCost(stage: Stage, rounds: Rounds): Promise<Table> {
  const dataDir = await temporaryDataDirectory();
  const variables = { RATE_LIMIT_FACTOR: rateLimitFactor, NODE_OPTIONS: `--import=${withoutAudit}` };
  let silent: PlatformProcess | undefined;
  try {
    silent = await startPlatformProcess(dataDir, variables);
    const admin = await accessToken(silent, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(silent, admin, "bench", "Bench");
    const client = await createTenantClient(silent, admin, tenantId, { name: "bench", scopes: partnerScopes });
    const token = await accessToken(silent, client);
    const { pid } = await readJson<{ pid: number }>(dataDir, "postgres.json");
    const contestants = [
      { ...writer("without audit", silent, token), postgresPid: pid },
      writer("with audit", stage.platform, stage.token),
    ];
    return tableOf("POST /v1/templates with its audit record", goal, await interleave(contestants, rounds));
  } finally {
    await silent?.stop();
    await removeData(dataDir);
  }
}

function writer(name: string, { publicUrl, pid }: PlatformProcess, token: string): Contestant {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = `{"name":"audited-[<id>]","category":"Service"}`;
  return { name, url: publicUrl, pid, requests: [{ method: "POST", path: "/v1/templates", headers, body }] };
}
