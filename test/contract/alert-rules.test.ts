import { readFile } from "node:fs/promises";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const textOf = (name: string) => readFile(new URL(`../../gateway/${name}`, import.meta.url), "utf8");
/** Prometheus itself makes this metric for each target. */
const ofPrometheus = ["up"];

let rules: Rule[];
/** Each metric's label names, as far as it has values. */
let metrics: Map<string, Set<string>>;

beforeAll(async () => {
  const { groups } = parse(await textOf("alerts.yaml")) as { groups: { rules: Rule[] }[] };
  rules = groups.flatMap((group) => group.rules);
  const { text } = await request("GET /metrics", { base: platform().internalUrl });
  metrics = new Map(ofPrometheus.map((name) => [name, new Set()]));
  for (const line of text.split("\n")) {
    const [, metric] = /^# HELP (\w+)/.exec(line) ?? [];
    if (metric) metrics.set(metric, metrics.get(metric) ?? new Set());
    const [, sample = "", labels = ""] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    const labelNames = metrics.get(metricOf(sample));
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) labelNames?.add(label);
  }
});

/** A histogram has three series for one metric. */
const metricOf = (series: string) => series.replace(/_(bucket|count|sum)$/, "");

/** An expression's metrics, each with the labels by which it is selected. */
function selectors(expression: string): { metric: string; labels: string[] }[] {
  const selections: { metric: string; labels: string[] }[] = [];
  parser.parse(expression).iterate({
    enter({ name, from, to, type }) {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`${expression} is not PromQL at ${from}`);
      if (name === "VectorSelector") selections.push({ metric: metricOf(/^\w*/.exec(text)?.[0] ?? ""), labels: [] });
      if (name === "LabelName") selections.at(-1)?.labels.push(text);
    },
  });
  return selections;
}

it("every alarm is PromQL over metrics and labels that the platform has", () => {
  expect(rules.length).toBeGreaterThan(20);
  const missing = rules.flatMap(({ alert, expr }) => {
    const usedSelectors = selectors(expr);
    expect(usedSelectors.length).toBeGreaterThan(0);
    return usedSelectors.flatMap(({ metric, labels }) => {
      const labelNames = metrics.get(metric);
      if (!labelNames) return [`${alert}: ${metric}`];
      if (labelNames.size === 0) return [];
      return labels
        .filter((label) => label !== "le" && !labelNames.has(label))
        .map((label) => `${alert}: ${metric}{${label}}`);
    });
  });
  expect(missing).toEqual([]);
});

it("an alarm over a metric that does not exist, or that is no PromQL, is found", () => {
  expect(selectors('rate(no_such_metric{folder="a"}[5m]) > 0')).toEqual([
    { metric: "no_such_metric", labels: ["folder"] },
  ]);
  expect(metrics.has("no_such_metric")).toBe(false);
  expect(() => selectors("rate(up[5m]) >")).toThrow("is not PromQL");
});

it("the operator's guide says for each alarm what to do", async () => {
  const guide = await textOf("OPERATING.md");
  const explainedAlerts = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(explainedAlerts).toEqual(expect.arrayContaining(rules.map(({ alert }) => alert)));
  for (const { alert, labels, annotations } of rules) {
    expect([alert, Object.keys(annotations)]).toEqual([alert, ["summary"]]);
    expect(["page", "ticket"]).toContain(labels["severity"]);
  }
});
