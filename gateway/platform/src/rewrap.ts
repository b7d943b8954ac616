import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type KeyPurpose, keyPurposes } from "@factory/runtime/sealing/key-labels";
import {
  accessToken,
  type ClientCredentials,
  call,
  failTool,
  type RunningPlatform,
  readJson,
  runningPlatform,
} from "./client/platform-api.js";
import type { RewrapProgress } from "./monitoring/sealed-value-administration.js";
import { toolEnvironment } from "./settings/environment.js";

const usage = `npm run -s rewrap   seals everything that is stored again under SECRETS_KEY, beside running traffic

It asks the running platform of DATA_DIR, which must have the new key in SECRETS_KEY and the one before it in
SECRETS_KEY_PREVIOUS. It ends with 0 when nothing is left under another key, and with 1 otherwise.
`;

const pollMs = 500;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: "boolean", default: false } } });
  if (values.help) return void process.stdout.write(usage);
  const dataDir = resolve(toolEnvironment().dataDir);
  const platform = await runningPlatform(dataDir);
  const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
  const progress = await rewrap(platform, token);
  report(progress);
  const leftCount = progress.tables.reduce((sum, table) => sum + table.left, 0);
  if (progress.status === "Failed") throw new Error("The run has failed. The log of the platform says why.");
  if (leftCount > 0) throw new Error(`${leftCount} values are left under another key.`);
}

async function rewrap({ internalUrl }: RunningPlatform, token: string): Promise<RewrapProgress> {
  let { body } = await call<RewrapProgress>("POST", `${internalUrl}/sealed-values/rewrap`, { token });
  let lastLine = "";
  while (body.status === "Running") {
    const line = body.tables.map(({ table, found, left }) => `${table} ${found - left}/${found}`).join("  ");
    if (line !== lastLine) process.stderr.write(`${line}\n`);
    lastLine = line;
    await pause(pollMs);
    ({ body } = await call<RewrapProgress>("GET", `${internalUrl}/sealed-values`, { token }));
  }
  return body;
}

function report({ tables }: RewrapProgress): void {
  for (const { subgraph, label, table, renewed, left } of tables)
    process.stdout.write(`${subgraph}.${table} (${label}): ${renewed} sealed again, ${left} left\n`);
  for (const { subgraph, table, unreadable, damaged } of tables) {
    for (const { row, reason } of damaged) process.stdout.write(`left: ${subgraph}.${table} ${row}. ${reason}\n`);
    if (unreadable > damaged.length)
      process.stdout.write(`left: ${unreadable - damaged.length} more rows of ${subgraph}.${table}\n`);
  }
  const heldPurposes = Object.values<KeyPurpose>(keyPurposes).flatMap(({ protects, afterChange: days }) =>
    days === "Stored" ? [] : [{ protects, days }],
  );
  process.stdout.write("\nKeep the former key in SECRETS_KEY_PREVIOUS for what callers hold or repeat:\n");
  for (const { protects, days } of heldPurposes)
    process.stdout.write(`  ${days} ${days === 1 ? "day" : "days"}: ${protects}\n`);
}

main().catch(failTool(usage));
