import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import type { Finding } from "./finding.js";
import { joinNames } from "./word-list.js";

const maxNamed = 5;

/** Reports packages whose versions still changed when the resolution was given up. */
export function findUnsettled({ graph, snapshot }: EvaluationContext): Finding[] {
  const names = graph.unsettled.map((key) => snapshot.library(key)?.packageName ?? key);
  const [first] = names;
  if (first === undefined) return [];
  const more = names.length > maxNamed ? [`${names.length - maxNamed} more`] : [];
  const packageList = joinNames([...names.slice(0, maxNamed), ...more]);
  return [
    {
      rule: "LibrarySetNotSettled",
      subject: graph.unsettled.join("|"),
      packageName: first,
      detail: `After ${graph.rounds} rounds of resolution the versions of ${packageList} still change one another. It is not known which versions a restore takes.`,
      moves: () => [],
    },
  ];
}
