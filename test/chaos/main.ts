import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Size } from "./fault-scenario.js";
import { actNames, runChaos } from "./run-chaos.js";

const usage = `npm run chaos -- [options]
  --only <act>      ${actNames.join(", ")}
  --skip <act>      may be given several times
  --kills <n>       default 30
  --outages <n>     of each kind, default 2
  --neighbors <s>  seconds beside hostile tenants, default 30
  --renders <n>     that never end, of a hostile tenant, default 16
  --events <n>      of each of ten tenants whose receivers do not answer, default 100
  --documents <n>   default 10000, sent twice over HTTP and a quarter of it over a websocket
  --restarts <n>    of each of two processes by SIGTERM, and as many by SIGKILL, default 5
  --rate <n>        requests a second during the restarts, default 200
  --pace <n>        of the times between misfortunes, default 1; 0.5 is twice as fast
  --seed <n>        of the random choices, default the time
  --json            the ledger as JSON on stdout
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      skip: { type: "string", multiple: true, default: [] },
      kills: { type: "string", default: "30" },
      outages: { type: "string", default: "2" },
      neighbors: { type: "string", default: "30" },
      renders: { type: "string", default: "16" },
      events: { type: "string", default: "100" },
      documents: { type: "string", default: "10000" },
      restarts: { type: "string", default: "5" },
      rate: { type: "string", default: "200" },
      pace: { type: "string", default: "1" },
      seed: { type: "string", default: `${Date.now() % 1_000_000}` },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const only = actNames.find((name) => name === values.only);
  if (values.help || (values.only !== undefined && only === undefined)) {
    process.stdout.write(usage);
    return;
  }
  const size: Size = {
    kills: Number(values.kills),
    outages: Number(values.outages),
    documents: Number(values.documents),
    neighborSeconds: Number(values.neighbors),
    hostileRenders: Number(values.renders),
    hangingEvents: Number(values.events),
    restarts: Number(values.restarts),
    requestsPerSecond: Number(values.rate),
    pace: Number(values.pace),
  };
  const dataDir = await mkdtemp(join(tmpdir(), "factory-chaos-"));
  try {
    const ledger = await runChaos({
      dataDir,
      size,
      seed: Number(values.seed),
      ...(only ? { only } : {}),
      skip: values.skip,
      tell: (line) => process.stderr.write(`${line}\n`),
    });
    process.stdout.write(values.json ? `${JSON.stringify(ledger.entries, null, 2)}\n` : ledger.print());
    process.exitCode = ledger.broken.length === 0 ? 0 : 1;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main();
