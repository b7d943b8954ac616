import { onStage, type Stage } from "./bench-platform.js";
import type { Rounds } from "./interleave.js";
import { PairedTurns } from "./paired-turns.js";
import { type Figures, mediansOf, printComparison, type Table } from "./report.js";

type Bench = (stage: Stage, rounds: Rounds) => Promise<Table | Figures>;

interface Comparing {
  readonly roundsOn: (stage: Stage) => Rounds;
  readonly tell: (text: string) => void;
}

/** The benches whose shots take turns. Each other bench uses both cores, so its whole rounds take turns. */
const takesTurns = new Set(["get", "connection", "join", "list", "flags", "flags, all", "token", "post"]);

/** Runs each bench at the release in another folder and at this one, and prints both medians. */
export async function compareReleases(
  checkout: string,
  benches: readonly (readonly [name: string, bench: Bench])[],
  { roundsOn, tell }: Comparing,
): Promise<void> {
  await onStage(
    (former) =>
      onStage(async (present) => {
        for (const [name, bench] of benches) {
          const results: readonly [former: Table | Figures, present: Table | Figures] = takesTurns.has(name)
            ? await inPairs(bench, { former, present }, roundsOn)
            : await roundsInTurn(bench, { former, present }, roundsOn);
          tell(`\n${printComparison(...results)}`);
        }
      }),
    checkout,
  );
}

interface Stages {
  readonly former: Stage;
  readonly present: Stage;
}

function inPairs<T>(
  bench: (stage: Stage, rounds: Rounds) => Promise<T>,
  { former, present }: Stages,
  roundsOn: (stage: Stage) => Rounds,
): Promise<[former: T, present: T]> {
  const turns = new PairedTurns();
  return Promise.all([
    bench(former, { ...roundsOn(former), turn: turns.side(0) }),
    bench(present, { ...roundsOn(present), turn: turns.side(1) }),
  ]);
}

/** Changes the order in each round, so that neither release is always the first. */
async function roundsInTurn(
  bench: Bench,
  { former, present }: Stages,
  roundsOn: (stage: Stage) => Rounds,
): Promise<readonly [former: Figures, present: Figures]> {
  const results = new Map<Stage, (Table | Figures)[]>([former, present].map((stage) => [stage, []]));
  const { rounds } = roundsOn(present);
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round}/${rounds}\n`);
    for (const stage of round % 2 === 1 ? [former, present] : [present, former])
      results.get(stage)?.push(await bench(stage, { ...roundsOn(stage), rounds: 1 }));
  }
  return [mediansOf(results.get(former) ?? []), mediansOf(results.get(present) ?? [])];
}
