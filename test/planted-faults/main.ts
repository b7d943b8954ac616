import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../house/tracked-files.js";
import { CheckoutCopy } from "./checkout-copy.js";
import type { Fault, Outcome } from "./fault.js";
import { candidatesOf, FaultPlanter } from "./plant-faults.js";
import { rules } from "./rules.js";

const usage = `npm run planted-faults -- [options]
  --checkout <dir>  the checkout whose commit gets the faults, default this one
  --seed <n>        of the choice of faults, default the time
  --faults <file>   plants the faults that an earlier run has written
  --save <file>     where the chosen faults are written, default in the folder for temporary files
  --only <n,n>      the numbers of single faults, from 1
  --minutes <n>     for one fault, default 10
  --list            shows the first candidate of each rule and how many there are, and plants nothing
`;

const options = {
  checkout: { type: "string", default: root },
  seed: { type: "string", default: `${Date.now() % 1_000_000}` },
  faults: { type: "string" },
  save: { type: "string", default: join(tmpdir(), "planted-faults.json") },
  only: { type: "string" },
  minutes: { type: "string", default: "10" },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Each rule's candidates, or the faults from an earlier run. */
async function wishes(copy: CheckoutCopy, seed: number, file: string | undefined): Promise<[string, Fault[]][]> {
  if (file === undefined)
    return Promise.all(
      rules.map(async (rule) => [rule.rule, await candidatesOf(rule, copy, seed)] as [string, Fault[]]),
    );
  const faults = JSON.parse(await readFile(file, "utf8")) as Fault[];
  return faults.map((fault) => [fault.rule, [fault]]);
}

function printed(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(
    ({ fault, result, by, seconds }) => `| ${fault.rule} | ${fault.file} | ${result} | ${by} | ${seconds} |`,
  );
  return ["| rule | file | result | by | seconds |", "|---|---|---|---|---|", ...lines, ""].join("\n");
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const seed = Number(values.seed);
  const only = values.only?.split(",").map(Number);
  say(`seed ${seed}; a copy of ${values.checkout} is made`);
  const copy = await CheckoutCopy.create(values.checkout);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      say(`${signal}: the copy is removed`);
      void copy.remove().finally(() => process.exit(1));
    });
  const outcomes: Outcome[] = [];
  try {
    const all = await wishes(copy, seed, values.faults);
    const selectedFaults = [...all.entries()].filter(([at]) => only?.includes(at + 1) ?? true);
    if (values.list) {
      for (const [at, [rule, [first, ...more]]] of selectedFaults)
        say(`${at + 1}. ${rule}: ${first ? `${first.file}, one of ${more.length + 1}` : "no candidate"}`);
      return;
    }
    const planter = await FaultPlanter.over(copy, { limitMs: Number(values.minutes) * 60_000, tell: say });
    for (const [at, [rule, candidates]] of selectedFaults) {
      say(`${at + 1}. ${rule}`);
      const outcome = await planter.plantOne(candidates, rule);
      say(`  ${outcome.result} ${outcome.by} after ${outcome.seconds} s`);
      outcomes.push(outcome);
      await writeFile(
        values.save,
        `${JSON.stringify(
          outcomes.map(({ fault }) => fault),
          null,
          2,
        )}\n`,
      );
    }
  } finally {
    await copy.remove();
  }
  process.stdout.write(`${printed(outcomes)}\nseed ${seed}, the faults are in ${values.save}\n`);
  if (outcomes.some(({ result }) => result !== "found")) process.exitCode = 1;
}

await main();
