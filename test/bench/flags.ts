import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import type { Stage } from "./bench-platform.js";
import { cpuOf } from "./cpu-time.js";
import { type Contestant, interleave, type Rounds } from "./interleave.js";
import { type Table, tableOf } from "./report.js";

const flagCount = 500;
/** CPU microseconds that a platform without work uses in a second. */
const quietCpu = 60_000;
const path = "/ofrep/v1/evaluate/flags";
const rules = [{ attribute: "country", operator: "IN", values: ["CH", "AT", "DE"] }];
const context = {
  targetingKey: "5f0c3c0e-8a57-4b0e-9a39-6f3b6f4f6d11",
  country: "FR",
  plan: "Standard",
  appVersion: "4.12.0",
  beta: false,
};

/** A flag in ten has a rule, and all others have a percentage. */
const settingsOf = (at: number) => ({
  enabled: true,
  rolloutPercentage: at % 101,
  ...(at % 10 === 0 ? { rules } : {}),
});

/** Writes flags for a new tenant, and returns a token that evaluates them. */
async function seedFlags({ platform }: Stage): Promise<string> {
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "flags", "Flags");
  const clientWith = (name: string, scope: "config.manage" | "flag.evaluate") =>
    createTenantClient(platform, admin, tenantId, { name, scopes: [scope] });
  const token = await accessToken(platform, await clientWith("writer", "config.manage"));
  for (let at = 0; at < flagCount; at += 1)
    await call("PUT", `${platform.publicUrl}/v1/feature-flags/flag-${at}`, { token, body: settingsOf(at) });
  await quiet(platform.pid);
  return accessToken(platform, await clientWith("reader", "flag.evaluate"));
}

/** Waits until the changes' events are processed, since that work would count for the evaluations. */
async function quiet(pid: number): Promise<void> {
  for (let tries = 0, before = await cpuOf(pid); tries < 60; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const after = await cpuOf(pid);
    if (after - before < quietCpu) return;
    before = after;
  }
}

const json = { "content-type": "application/json" };
const body = JSON.stringify({ context });

/** Compares one evaluation with a bare fastify that answers the same JSON. */
export async function oneFlag(stage: Stage, rounds: Rounds): Promise<Table> {
  const { bare } = stage;
  const request = { method: "POST", path: `${path}/flag-50`, body } as const;
  const platform = await evaluating(stage, `${path}/flag-50`);
  const contestants = [{ name: "bare fastify", ...bare, requests: [{ ...request, headers: json }] }, platform];
  return tableOf("POST /ofrep/v1/evaluate/flags/{key}", 1.6, await interleave(contestants, rounds));
}

/** Compares evaluating all flags with evaluating one. */
export async function allFlags(stage: Stage, rounds: Rounds): Promise<Table> {
  const singleFlag = await evaluating(stage, `${path}/flag-50`);
  const all = await evaluating(stage, path);
  const contestants = [
    { ...singleFlag, name: "one flag" },
    { ...all, name: `${flagCount} flags` },
  ];
  return tableOf(`POST /ofrep/v1/evaluate/flags, ${flagCount} flags`, 3, await interleave(contestants, rounds));
}

async function evaluating(stage: Stage, at: string): Promise<Contestant> {
  const { platform } = stage;
  const headers = { ...json, authorization: `Bearer ${await seedFlags(stage)}` };
  const requests = [{ method: "POST", path: at, headers, body } as const];
  return { name: "platform, OFREP", url: platform.publicUrl, pid: platform.pid, requests };
}
