import type { Finding, Situation } from "../evaluation/evaluation-context.js";
import { sentence } from "./listed-versions.js";

const mostNamed = 5;

/** The versions still changed when the evaluation gave up: nothing it says about them can be relied on. */
export function notSettled({ graph, snapshot }: Situation): Finding[] {
  const names = graph.unsettled.map((key) => snapshot.library(key)?.packageName ?? key);
  const [first] = names;
  if (first === undefined) return [];
  const more = names.length > mostNamed ? [`${names.length - mostNamed} more`] : [];
  const listed = sentence([...names.slice(0, mostNamed), ...more]);
  return [
    {
      rule: "LibrarySetNotSettled",
      subject: graph.unsettled.join("|"),
      packageName: first,
      detail: `After ${graph.rounds} rounds the versions of ${listed} still change one another: which of them a restore takes is not known.`,
      moves: () => [],
    },
  ];
}
