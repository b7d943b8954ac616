import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { DeadLetter } from "@factory/runtime/bus/dead-letters";
import type { OperatorJob } from "@factory/runtime/jobs/administration/job-operations";
import {
  accessToken,
  type ClientCredentials,
  call,
  failTool,
  type RunningPlatform,
  readJson,
  runningPlatform,
} from "./client/platform-api.js";
import { toolEnvironment } from "./settings/environment.js";

const usage = `npm run -s jobs                          the newest jobs that run, wait for another try or have failed
npm run -s jobs -- --after <cursor>      the next page
npm run -s jobs -- redrive <queue> <id>  sends a failed job again
npm run -s jobs -- letters               messages of the bus that a consumer could not take
npm run -s jobs -- redrive-letter <consumer> <position>
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { after: { type: "string" }, help: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(usage);
  const dataDir = resolve(toolEnvironment().dataDir);
  const platform = await runningPlatform(dataDir);
  const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
  const [command = "list", queue, id] = positionals;
  if (command === "list") await list(platform, token, values.after);
  else if (command === "letters") await letters(platform, token, values.after);
  else if (command === "redrive-letter" && queue !== undefined && id !== undefined)
    await redriveLetter(platform, token, path(queue, id));
  else if (command === "redrive" && queue !== undefined && id !== undefined)
    await redrive(platform, token, path(queue, id));
  else throw new Error(usage);
}

const path = (...parts: string[]) => parts.map(encodeURIComponent).join("/");

async function letters({ internalUrl }: RunningPlatform, token: string, after: string | undefined): Promise<void> {
  const page = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
  const { body } = await call<{ items: DeadLetter[]; nextCursor: string | null }>(
    "GET",
    `${internalUrl}/bus/dead-letters${page}`,
    { token },
  );
  for (const { consumer, position, tenantId, type, ageSeconds, error } of body.items)
    process.stdout.write(`${[consumer, position, tenantId, type, `${Math.round(ageSeconds)} s`, error].join("  ")}\n`);
  if (body.items.length === 0) process.stderr.write("There are no dead letters.\n");
  if (body.nextCursor !== null) process.stdout.write(`more: npm run -s jobs -- letters --after ${body.nextCursor}\n`);
}

async function list({ internalUrl }: RunningPlatform, token: string, after: string | undefined): Promise<void> {
  const page = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
  const { body } = await call<{ items: OperatorJob[]; nextCursor: string | null }>(
    "GET",
    `${internalUrl}/jobs${page}`,
    {
      token,
    },
  );
  for (const { queue, jobId, tenantId, state, ageSeconds, attempts, reason } of body.items)
    process.stdout.write(
      `${[state, queue, jobId, tenantId, `${ageSeconds} s`, `attempt ${attempts}`, reason ?? ""].join("  ")}\n`,
    );
  if (body.items.length === 0) process.stderr.write("No job runs, waits for another try or has failed.\n");
  if (body.nextCursor !== null) process.stdout.write(`more: npm run -s jobs -- --after ${body.nextCursor}\n`);
}

async function redrive({ internalUrl }: RunningPlatform, token: string, job: string): Promise<void> {
  const { body } = await call<OperatorJob>("POST", `${internalUrl}/jobs/${job}/redrive`, { token });
  process.stdout.write(`${body.queue} ${body.jobId} was sent again\n`);
}

async function redriveLetter({ internalUrl }: RunningPlatform, token: string, letter: string): Promise<void> {
  await call("POST", `${internalUrl}/bus/dead-letters/${letter}/redrive`, { token });
  process.stdout.write(`${letter} was sent again\n`);
}

main().catch(failTool(usage));
