import { onStage, type Stage } from "./bench-platform.js";
import type { Rounds } from "./interleave.js";
import { type Figures, printComparison, type Table } from "./report.js";

export type Bench = (stage: Stage, rounds: Rounds) => Promise<Table | Figures>;

interface Comparing {
  readonly roundsOn: (stage: Stage) => Rounds;
  readonly tell: (text: string) => void;
}

/** The benches whose shots take turns. The others use both cores, so they run at one release after the other. */
const takesTurns = new Set(["get", "connection", "join", "list", "flags", "flags, all", "token", "post"]);

/** Runs each bench at the release in another folder and at this one, and prints the medians of both. */
export async function compareReleases(
  checkout: string,
  benches: readonly (readonly [name: string, bench: Bench])[],
  { roundsOn, tell }: Comparing,
): Promise<void> {
  await onStage(
    (former) =>
      onStage(async (present) => {
        for (const [name, bench] of benches) {
          const [ofFormer, ofPresent] = [former, present].map((stage) => () => bench(stage, roundsOn(stage)));
          if (!ofFormer || !ofPresent) return;
          const results = takesTurns.has(name)
            ? await Promise.all([ofFormer(), ofPresent()])
            : ([await ofFormer(), await ofPresent()] as const);
          tell(`\n${printComparison(...results)}`);
        }
      }),
    checkout,
  );
}
