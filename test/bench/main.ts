import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { auditCost } from "./audit-cost.js";
import { auditRecordLists } from "./audit-records.js";
import { onStage, type Stage } from "./bench-platform.js";
import { oneConnection } from "./connections.js";
import { entitlementChecks } from "./entitlement-checks.js";
import { evaluations } from "./evaluations.js";
import { allFlags, oneFlag } from "./flags.js";
import { hangingPathsOfAHost } from "./hanging-paths.js";
import { inboundDeliveries } from "./inbound-deliveries.js";
import { type Contestant, interleave, type Rounds } from "./interleave.js";
import { modelCalls } from "./models/model-calls.js";
import { neighbours } from "./neighbours/neighbours.js";
import { notifications } from "./notifications.js";
import { packExecutions } from "./pack-executions.js";
import { federatedJoin, listOfTwenty, oneById } from "./reads.js";
import { compareReleases } from "./releases.js";
import { type Figures, printFigures, printTable, type Table, tableOf } from "./report.js";
import { reportCsv } from "./report-csv.js";
import { csvReport, xlsxReport } from "./report-writers.js";
import { librarySearches } from "./search.js";
import { subscriberFanOut } from "./subscribers.js";
import { knownTokens, serviceTokens } from "./tokens.js";
import { userLists } from "./users.js";
import { webhookBacklog } from "./webhook-backlog.js";
import { webhookLatency } from "./webhook-latency.js";

const usage = `npm run bench -- [options]
  --json          the result as JSON on stdout
  --only <table>  get, connection, join, list, webhook, hanging, backlog, inbound, subscribers, packs, search, evaluate, flags, users, checks, models, token, audit, records, notifications, csv, xlsx, reports, neighbours or post
  --rounds <n>    rounds per table, default 5
  --seconds <n>   length of one shot, default 3
  --against <folder>  another release in a checkout that is built (npm run build): both run, and shots take turns
`;

const connections = 16;
// V8 still optimizes the platform's code during the first half minute under load: two starts of one release differed by 1.7
const warmUpSeconds = 30;

const benches = {
  get: async (stage: Stage, rounds: Rounds) =>
    tableOf("GET /v1/templates/{templateId} over REST", 2, await interleave(oneById(stage), rounds)),
  connection: (stage: Stage, rounds: Rounds) => oneConnection(stage, rounds),
  join: async (stage: Stage, rounds: Rounds) =>
    tableOf("A federated join over GraphQL", 2.5, await interleave(await federatedJoin(stage), rounds)),
  list: async (stage: Stage, rounds: Rounds) =>
    tableOf("A list of 20 with their versions over GraphQL", 10, await interleave(await listOfTwenty(stage), rounds)),
  // this runs before the POST requests, because they leave an event backlog
  webhook: (stage: Stage, { rounds, seconds }: Rounds) => webhookLatency(stage, rounds * seconds * 4),
  hanging: (stage: Stage) => hangingPathsOfAHost(stage),
  backlog: (stage: Stage, rounds: Rounds) => webhookBacklog(stage, rounds),
  inbound: (stage: Stage, rounds: Rounds) => inboundDeliveries(stage, rounds),
  subscribers: (stage: Stage) => subscriberFanOut(stage),
  packs: (stage: Stage) => packExecutions(stage),
  search: (stage: Stage) => librarySearches(stage),
  evaluate: (stage: Stage) => evaluations(stage),
  token: (stage: Stage, rounds: Rounds) => serviceTokens(stage, rounds),
  "token, known": (stage: Stage) => knownTokens(stage),
  flags: (stage: Stage, rounds: Rounds) => oneFlag(stage, rounds),
  "flags, all": (stage: Stage, rounds: Rounds) => allFlags(stage, rounds),
  users: (stage: Stage) => userLists(stage),
  checks: (stage: Stage, rounds: Rounds) => entitlementChecks(stage, rounds),
  models: (stage: Stage, rounds: Rounds) => modelCalls(stage, rounds),
  audit: (stage: Stage, rounds: Rounds) => auditCost(stage, rounds),
  records: (stage: Stage) => auditRecordLists(stage),
  notifications: (stage: Stage) => notifications(stage),
  csv: (_: Stage, { rounds }: Rounds) => csvReport(rounds),
  xlsx: () => xlsxReport(),
  reports: (stage: Stage) => reportCsv(stage),
  neighbours: (stage: Stage, rounds: Rounds) => neighbours(stage, rounds),
  post: async (stage: Stage, rounds: Rounds) =>
    tableOf("POST /v1/templates over REST", 2.5, await interleave(writers(stage), rounds)),
};

function writers({ bare, platform, token }: Stage): Contestant[] {
  const request = { method: "POST", path: "/v1/templates", body: `{"name":"written-[<id>]","category":"Service"}` };
  const json = { "content-type": "application/json" };
  return [
    { name: "bare fastify + pg", ...bare, requests: [{ ...request, headers: json }] },
    {
      name: "platform, REST",
      url: platform.publicUrl,
      pid: platform.pid,
      requests: [{ ...request, headers: { ...json, authorization: `Bearer ${token}` } }],
    },
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      only: { type: "string" },
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "3" },
      against: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const chosenBenches = Object.entries(benches).filter(
    ([name]) => values.only === undefined || values.only === name.split(",")[0],
  );
  if (values.help || chosenBenches.length === 0) {
    process.stdout.write(usage);
    return;
  }
  const roundsOn = ({ postgresPid }: Stage): Rounds => ({
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    ...{ warmUpSeconds, connections, postgresPid },
  });
  if (values.against !== undefined) {
    const tell = (text: string) => process.stdout.write(text);
    return compareReleases(resolve(values.against), chosenBenches, { roundsOn, tell });
  }
  await onStage(async (stage) => {
    const rounds = roundsOn(stage);
    const results: Record<string, Table | Figures> = {};
    for (const [name, run] of chosenBenches) {
      const result = await run(stage, rounds);
      results[name] = result;
      if (!values.json) process.stdout.write(`\n${"rows" in result ? printTable(result) : printFigures(result)}`);
    }
    if (values.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  });
}

await main();
