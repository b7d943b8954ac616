import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { SentCommand } from "@factory/integration/command-sender";
import {
  accessToken,
  type ClientCredentials,
  call,
  failTool,
  readJson,
  runningPlatform,
} from "./client/platform-api.js";
import { toolEnvironment } from "./settings/environment.js";

const usage = `npm run -s command -- <type> --tenant <tenantId> [--data <file>] [--expires-in <seconds>] [--key <key>]

Sends a command to a vendor, for example SendEmail, through a connection of the tenant. The data is JSON, from the file or
from standard input; schema/commands describes it. It prints the id of the command: the events that answer it have the id
as causationid. Repeated with the same key (Idempotency-Key), it prints the id of the first time, and sends nothing.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      tenant: { type: "string" },
      data: { type: "string" },
      "expires-in": { type: "string" },
      key: { type: "string" },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(usage);
  const [type] = positionals;
  if (type === undefined || values.tenant === undefined) throw new Error(usage);
  const data: unknown = JSON.parse(
    values.data === undefined ? await text(process.stdin) : await readFile(values.data, "utf8"),
  );
  const life = values["expires-in"] === undefined ? {} : { expiresInSeconds: Number(values["expires-in"]) };
  const dataDir = resolve(toolEnvironment().dataDir);
  const platform = await runningPlatform(dataDir);
  const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
  const body = { tenantId: values.tenant, type, data, ...life };
  const headers = values.key === undefined ? {} : { "idempotency-key": values.key };
  const answer = await call<SentCommand>("POST", `${platform.internalUrl}/commands`, { token, body, headers });
  process.stdout.write(`${answer.body.commandId}  correlation ${answer.body.correlationId}\n`);
}

main().catch(failTool(usage));
