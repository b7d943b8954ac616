import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Stage } from "./bench-platform.js";
import { interleave, type Rounds } from "./interleave.js";
import { type Table, tableOf } from "./report.js";

const connectionCount = 50;

/** Compares a connection's read with a bare fastify that reads the same row. */
export async function oneConnection(stage: Stage, rounds: Rounds): Promise<Table> {
  const { bare, platform } = stage;
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "bench", "Bench");
  const scopes = [
    "integration.providers.write",
    "integration.connections.write",
    "integration.connections.read",
  ] as const;
  const token = await accessToken(
    platform,
    await createTenantClient(platform, admin, tenantId, { name: "connections", scopes }),
  );
  const post = <T>(path: string, body: unknown) => call<T>("POST", platform.publicUrl + path, { token, body });
  const provider = { key: "bench-tool", displayName: "Bench Tool", category: "Tool", authModel: "None" };
  const { body } = await post<{ providerId: string }>("/integrations/providers", provider);
  const ids: string[] = [];
  for (let at = 0; at < connectionCount; at += 1) {
    const input = { providerId: body.providerId, displayName: `Bench ${at}`, authMode: "None" };
    ids.push((await post<{ connectionId: string }>("/integrations/connections", input)).body.connectionId);
  }
  // a read does not include the runs that verify the connections
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const authorization = `Bearer ${token}`;
  const contestants = [
    {
      name: "bare fastify + pg",
      ...bare,
      requests: ids.map((id) => ({ path: `/integrations/connections/${decodeId("con", id)}` })),
    },
    {
      name: "platform, REST",
      url: platform.publicUrl,
      pid: platform.pid,
      requests: ids.map((id) => ({ path: `/integrations/connections/${id}`, headers: { authorization } })),
    },
  ];
  return tableOf("GET /integrations/connections/{connectionId} over REST", 1.7, await interleave(contestants, rounds));
}
