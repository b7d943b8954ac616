import { type Framework, parseFramework } from "@factory/nuget/framework";
import { type Evaluation, evaluateSet } from "./evaluate-set.js";
import type {
  CatalogLibrary,
  CatalogLibraryVersion,
  KnownDeprecation,
  Vulnerability,
} from "./evaluation/catalog-library.js";
import type { EvaluationInput } from "./evaluation/evaluation-input.js";

/** A version in few words: frameworks it is `on`, what it `needs` by range, and what it also needs `at` a framework. */
interface VersionSketch {
  on?: string;
  needs?: Record<string, string>;
  at?: Record<string, Record<string, string>>;
  clashes?: Record<string, string | null>;
  status?: CatalogLibraryVersion["status"];
  consumes?: string[];
  vulnerabilities?: Vulnerability[];
  deprecation?: KnownDeprecation;
  maxRuntime?: string;
}

/** `offers`: capability names, `name=contract` and `name=contract!` for an exclusive one. */
export type CatalogSketch = Record<string, { offers?: string; versions: Record<string, VersionSketch> }>;

export function framework(text: string): Framework {
  const framework = parseFramework(text);
  if (framework === undefined) throw new Error(`${text} is no framework`);
  return framework;
}

function requirements(needs: Record<string, string>, targetFramework: string | null) {
  return Object.entries(needs).map(([packageName, range]) => ({ packageName, range, targetFramework }));
}

function versionOf(version: string, sketch: VersionSketch): CatalogLibraryVersion {
  const { on = "", needs = {}, at = {}, clashes = {}, status = "Published", maxRuntime = null, ...rest } = sketch;
  return {
    libraryVersionId: `lbv_${version}`,
    version,
    status,
    targetFrameworks: on.split(" ").filter(Boolean),
    dependencies: [
      ...requirements(needs, null),
      ...Object.entries(at).flatMap(([moniker, group]) => requirements(group, moniker)),
    ],
    conflictsWith: Object.entries(clashes).map(([packageName, range]) => ({ packageName, range })),
    maxRuntime,
    ...rest,
  };
}

function capabilityOf(text: string): CatalogLibrary["capabilities"][number] {
  const [name = "", contract = null] = text.replace("!", "").split("=");
  return { name, contract, ...(text.endsWith("!") ? { exclusive: true } : {}) };
}

export function catalogOf(sketch: CatalogSketch): Map<string, CatalogLibrary> {
  return new Map(
    Object.entries(sketch).map(([packageName, { offers = "", versions }]) => [
      packageName.toLowerCase(),
      {
        libraryId: `lib_${packageName}`,
        packageName,
        capabilities: offers.split(" ").filter(Boolean).map(capabilityOf),
        versions: Object.entries(versions).map(([version, facts]) => versionOf(version, facts)),
      },
    ]),
  );
}

/** "A 1.0.0, B 2.0.0" */
function setOf(text: string): { packageName: string; version: string }[] {
  return text
    .split(", ")
    .filter(Boolean)
    .map((entry) => {
      const [packageName = "", version = ""] = entry.split(" ");
      return { packageName, version };
    });
}

export function inputOf(sketch: CatalogSketch, set: string, runtime = "net8.0"): EvaluationInput {
  return { runtime: framework(runtime), libraries: setOf(set), catalog: catalogOf(sketch) };
}

export function evaluate(sketch: CatalogSketch, set: string, runtime?: string): Evaluation {
  return evaluateSet(inputOf(sketch, set, runtime));
}
