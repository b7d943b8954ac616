import { boundaries, connectives, decisions, equalities, extremes, noRefusal, verdicts } from "./edits.js";
import type { Rule } from "./fault.js";

/** Rules about the platform's computations and its sources. */
export const contentRules: readonly Rule[] = [
  {
    rule: "condition of a template",
    files: /^subgraphs\/catalog\/template-engine\/src\/conditions\/[\w-]+\.ts$/,
    edits: [...equalities, ...connectives, ...verdicts, ...boundaries],
  },
  {
    rule: "value of a symbol",
    files: /^subgraphs\/catalog\/template-engine\/src\/symbols\/[\w-]+\.ts$/,
    edits: [...equalities, ...connectives, ...boundaries],
  },
  {
    rule: "safety of a path",
    files: /^subgraphs\/catalog\/template-engine\/src\/files\/path-safety\.ts$/,
    edits: [...noRefusal, ...connectives, ...boundaries],
  },
  {
    rule: "version range",
    files: /^subgraphs\/catalog\/nuget\/src\/versions\/(version-range|floating-version)\.ts$/,
    edits: [...equalities, ...connectives, ...boundaries],
  },
  {
    rule: "order of versions",
    files: /^subgraphs\/catalog\/nuget\/src\/(versions\/(version|four-parts)|text-order)\.ts$/,
    edits: [...equalities, ...boundaries, ...connectives],
  },
  {
    rule: "compatibility of frameworks",
    files: /^subgraphs\/catalog\/nuget\/src\/frameworks\/(framework-compatibility|nearest-framework)\.ts$/,
    edits: [...equalities, ...connectives, ...boundaries],
  },
  {
    rule: "conflict of dependencies",
    files:
      /^subgraphs\/catalog\/src\/compatibility\/compatibility\/rules\/(dependencies|declared-conflicts|dependency-cycles|unsettled-set)\.ts$/,
    edits: [...decisions, ...boundaries],
  },
  {
    rule: "rollout of a flag",
    files:
      /^subgraphs\/spine\/src\/settings\/feature-flags\/evaluation\/(compiled-(flag|rule)|murmur3|attribute-values)\.ts$/,
    edits: [...decisions, ...boundaries],
  },
  {
    rule: "range of a report",
    files: /^subgraphs\/spine\/src\/reports\/reports\/(definitions|runs)\/[\w.-]+\.ts$/,
    edits: [...boundaries, ...noRefusal, ...extremes],
  },
  {
    rule: "direction of imports",
    files: /^subgraphs\/(catalog|integration|spine)\/src\/[\w-]+\/[\w-]+\/[\w.-]+\.service\.ts$/,
    edits: [
      { pattern: /^(import .+ from "\.\/[\w.-]+";)$/gm, replace: 'import type {} from "../../subgraph.js";\n$1' },
    ],
  },
];
