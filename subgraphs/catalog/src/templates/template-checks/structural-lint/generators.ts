import { evaluatorNamed } from "@factory/template-engine/evaluate-condition";
import type { Finding } from "@factory/template-engine/finding";
import { isGenerator } from "@factory/template-engine/generators";
import { isJsonArray, isJsonObject, type JsonObject } from "@factory/template-engine/json-value";
import { member, textMember } from "@factory/template-engine/jsonc";
import type { GeneratedSymbol } from "@factory/template-engine/template-config";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";

interface Needs {
  texts?: readonly string[];
  /** A list of objects and the members that each object must have. */
  list?: { name: string; members: readonly string[] };
}

/** The parameters that each generator requires. Without them the engine refuses to render. */
const needsOf: Readonly<Record<string, Needs>> = {
  casing: { texts: ["source"] },
  coalesce: { texts: ["sourceVariableName", "fallbackVariableName"] },
  constant: { texts: ["value"] },
  evaluate: { texts: ["action"] },
  join: { list: { name: "symbols", members: ["value"] } },
  random: { texts: ["low"] },
  regex: { texts: ["source"], list: { name: "steps", members: ["regex", "replacement"] } },
  regexmatch: { texts: ["source", "pattern"] },
  switch: { list: { name: "cases", members: ["value"] } },
};

export function lintGenerator(symbol: GeneratedSymbol, places: ConfigPlaces): Finding[] {
  const { name, generator, parameters, datatype } = symbol;
  if (!isGenerator(generator)) {
    const problem = generator.trim() === "" ? "no generator" : `the unknown generator "${generator}"`;
    const message = `The symbol "${name}" has ${problem}, so that it has no value.`;
    return [finding("UnknownGenerator", message, places.at("symbols", name, "generator"))];
  }
  const kind = generator.toLowerCase();
  const place = places.at("symbols", name, "datatype");
  const noBool = kind === "regexmatch" && datatype !== null && datatype.toLowerCase() !== "bool";
  const evaluator = kind === "switch" || kind === "evaluate" ? textMember(parameters, "evaluator") : null;
  return [
    ...missing(name, needsOf[kind] ?? {}, { parameters, places }),
    ...(noBool
      ? [
          finding(
            "SchemaViolation",
            `The generator regexMatch of "${name}" makes true or false. Its datatype can only be bool.`,
            place,
          ),
        ]
      : []),
    ...lintEvaluator(name, evaluator, places.at("symbols", name, "parameters", "evaluator")),
  ];
}

function missing(
  symbol: string,
  { texts = [], list }: Needs,
  { parameters, places }: { parameters: JsonObject; places: ConfigPlaces },
): Finding[] {
  const at = (...more: (string | number)[]) => places.at("symbols", symbol, "parameters", ...more);
  const report = (need: string, place: ReturnType<ConfigPlaces["at"]>) =>
    finding("SchemaViolation", `The generator of "${symbol}" needs ${need}.`, { ...place, severity: "Error" });
  const findings = texts
    .filter((name) => textMember(parameters, name) === null)
    .map((name) => report(`the parameter "${name}"`, at(name)));
  if (!list) return findings;
  const entries = member(parameters, list.name);
  if (!isJsonArray(entries)) return [...findings, report(`the list "${list.name}"`, at(list.name))];
  entries.forEach((entry, index) => {
    const lacking = list.members.filter((name) => !isJsonObject(entry) || textMember(entry, name) === null);
    if (lacking.length === 0) return;
    findings.push(report(`"${lacking.join('" and "')}" in each entry of "${list.name}"`, at(list.name, index)));
  });
  return findings;
}

export function lintEvaluator(owner: string, name: string | null, place: ReturnType<ConfigPlaces["at"]>): Finding[] {
  if (evaluatorNamed(name, "C++2") !== undefined) return [];
  const suggestion = "Use C++2, C++, MSBUILD or VB.";
  const message = `The evaluator "${name}" of "${owner}" is unknown.`;
  return [finding("SchemaViolation", message, { ...place, suggestion, severity: "Error" })];
}
