import { isPackageId } from "@factory/nuget/package-id";
import type { InputProblems } from "../input-problems/input-problems.js";
import { type AdvisorySeverity, advisorySeverity, type OsvScore } from "./advisory-severity.js";
import { type AffectedVersions, affectedVersions, type OsvEvent, UnreadableVersion } from "./affected-versions.js";

/** A package that an advisory affects. */
export interface AffectedPackage {
  readonly packageName: string;
  /** Null where the severity of the advisory counts. */
  readonly severity: AdvisorySeverity | null;
  readonly affected: AffectedVersions;
}

/** An advisory as it is stored. */
export interface ReadAdvisory {
  readonly advisoryId: string;
  readonly summary: string | null;
  readonly aliases: readonly string[];
  readonly severity: AdvisorySeverity | null;
  readonly url: string | null;
  readonly modifiedAt: Date;
  readonly withdrawnAt: Date | null;
  /** Packages of NuGet only. */
  readonly packages: readonly AffectedPackage[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The limits of one document. */
export const osvLimits = {
  affected: 200,
  packages: 50,
  ranges: 50,
  events: 1000,
  versions: 5000,
  aliases: 20,
  scores: 20,
};

/** The limits for what is stored of one package, so that a scan can read the advisories of many. */
const storedLimits = { intervals: 100, versions: 500 };
const maxSummary = 500;
const maxUrl = 2048;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const ecosystem = "nuget";
const rangeTypes: ReadonlySet<unknown> = new Set(["SEMVER", "ECOSYSTEM"]);

/**
 * Reads an advisory in the format of OSV (ossf.github.io/osv-schema) and adds what is wrong with it to `problems`. Packages
 * of other ecosystems and ranges of commits are left out.
 */
export function readOsvDocument(
  document: JsonObject,
  pointer: string,
  problems: InputProblems,
): ReadAdvisory | undefined {
  const reader = new OsvReader(pointer, problems);
  const advisory = reader.read(document);
  return reader.failed ? undefined : advisory;
}

class OsvReader {
  failed = false;
  readonly #pointer: string;
  readonly #problems: InputProblems;

  constructor(pointer: string, problems: InputProblems) {
    this.#pointer = pointer;
    this.#problems = problems;
  }

  read(document: JsonObject): ReadAdvisory {
    const { id, modified, withdrawn, summary } = document;
    if (typeof id !== "string" || !idForm.test(id))
      this.#fail("/id", "The id must be 1 to 100 letters, digits, dots, colons, hyphens and underscores.");
    const scores = this.#scores(document["severity"], "/severity");
    const affected = this.#list(document["affected"], "/affected", osvLimits.affected);
    const packages = affected.flatMap((one, index) => this.#affected(one, `/affected/${index}`));
    if (packages.length > osvLimits.packages)
      this.#fail("/affected", `An advisory may affect at most ${osvLimits.packages} packages of NuGet.`);
    return {
      advisoryId: typeof id === "string" ? id : "",
      summary: typeof summary === "string" && summary !== "" ? withoutNul(summary).slice(0, maxSummary) : null,
      aliases: this.#aliases(document["aliases"]),
      severity: advisorySeverity(scores, databaseWord(document)),
      url: urlOf(document["references"]),
      modifiedAt: this.#time(modified, "/modified"),
      withdrawnAt: withdrawn == null ? null : this.#time(withdrawn, "/withdrawn"),
      packages: distinctPackages(packages),
    };
  }

  #affected(entry: JsonObject, at: string): AffectedPackage[] {
    const named = isObject(entry["package"]) ? entry["package"] : {};
    const { name, ecosystem: system } = named;
    if (typeof system !== "string" || system.split(":")[0]?.toLowerCase() !== ecosystem) return [];
    if (typeof name !== "string" || !isPackageId(name)) {
      this.#fail(`${at}/package/name`, "The name is not a valid NuGet package ID.");
      return [];
    }
    const ranges = this.#list(entry["ranges"], `${at}/ranges`, osvLimits.ranges).flatMap((range, index) =>
      rangeTypes.has(range["type"]) ? [this.#events(range["events"], `${at}/ranges/${index}/events`)] : [],
    );
    const versions = this.#texts(entry["versions"], `${at}/versions`, osvLimits.versions);
    const scores = this.#scores(entry["severity"], `${at}/severity`);
    const affected = this.#versions(ranges, versions, at);
    return affected ? [{ packageName: name, severity: advisorySeverity(scores, databaseWord(entry)), affected }] : [];
  }

  #versions(ranges: readonly OsvEvent[][], listed: readonly string[], at: string): AffectedVersions | undefined {
    try {
      const affected = affectedVersions(ranges, listed);
      const { intervals, versions } = affected;
      if (intervals.length <= storedLimits.intervals && versions.length <= storedLimits.versions) return affected;
      const limits = `${storedLimits.intervals} separate ranges and ${storedLimits.versions} versions outside of them`;
      this.#fail(at, `The affected versions of a package may be at most ${limits}.`);
    } catch (error) {
      if (!(error instanceof UnreadableVersion)) throw error;
      this.#fail(`${at}/ranges`, `A range has the version "${error.message}", which is not a valid NuGet version.`);
    }
    return undefined;
  }

  #events(given: unknown, at: string): OsvEvent[] {
    return this.#list(given, at, osvLimits.events).map((event, index) => {
      const { introduced, fixed, last_affected, limit } = event;
      const members = Object.entries({ introduced, fixed, last_affected, limit }).filter(
        ([, value]) => value !== undefined,
      );
      if (members.some(([, value]) => typeof value !== "string" || value.length > 100))
        this.#fail(`${at}/${index}`, "The version of an event must be a text of at most 100 characters.");
      return Object.fromEntries(members.filter(([, value]) => typeof value === "string")) as OsvEvent;
    });
  }

  #scores(given: unknown, at: string): OsvScore[] {
    return this.#list(given, at, osvLimits.scores).flatMap(({ type, score }) =>
      typeof type === "string" && typeof score === "string" ? [{ type, score }] : [],
    );
  }

  #aliases(given: unknown): string[] {
    return [...new Set(this.#texts(given, "/aliases", osvLimits.aliases).filter((alias) => idForm.test(alias)))];
  }

  #time(given: unknown, at: string): Date {
    const time = typeof given === "string" && timeForm.test(given) ? new Date(given) : undefined;
    if (time !== undefined && !Number.isNaN(time.getTime())) return time;
    this.#fail(at, "The time must be in the form 2026-01-31T12:00:00Z.");
    return new Date(0);
  }

  #texts(given: unknown, at: string, most: number): string[] {
    return this.#items(given, at, most).filter((item): item is string => typeof item === "string");
  }

  #list(given: unknown, at: string, most: number): JsonObject[] {
    const items = this.#items(given, at, most);
    if (items.every(isObject)) return items;
    this.#fail(at, "Each item must be an object.");
    return [];
  }

  #items(given: unknown, at: string, most: number): unknown[] {
    if (given == null) return [];
    if (Array.isArray(given) && given.length <= most) return given;
    this.#fail(at, `It must be a list of at most ${most} items.`);
    return [];
  }

  #fail(at: string, detail: string): void {
    // a hostile document has thousands of faults, and one of them tells enough
    if (!this.failed) this.#problems.add(`${this.#pointer}${at}`, "FORMAT", detail);
    this.failed = true;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function databaseWord(of: JsonObject): string | undefined {
  const specific = of["database_specific"];
  const word = isObject(specific) ? specific["severity"] : undefined;
  return typeof word === "string" ? word : undefined;
}

/** The page of the advisory: a reference of type ADVISORY, otherwise the first web page. */
function urlOf(references: unknown): string | null {
  const listed = Array.isArray(references) ? references.slice(0, 100).filter(isObject) : [];
  const pages = listed.filter(
    ({ url }) => typeof url === "string" && url.length <= maxUrl && /^https?:\/\//.test(url) && URL.canParse(url),
  );
  const chosen = pages.find(({ type }) => type === "ADVISORY") ?? pages.find(({ type }) => type === "WEB");
  return chosen === undefined ? null : new URL(String(chosen["url"])).href;
}

/** One entry for each package: a document may list a package several times. */
function distinctPackages(packages: readonly AffectedPackage[]): AffectedPackage[] {
  const found = new Map<string, AffectedPackage>();
  for (const one of packages) {
    const key = one.packageName.toLowerCase();
    const known = found.get(key);
    found.set(key, known === undefined ? one : united(known, one));
  }
  return [...found.values()];
}

function united(a: AffectedPackage, b: AffectedPackage): AffectedPackage {
  const ranges = [...a.affected.intervals, ...b.affected.intervals].map(({ from, to, inclusive }): OsvEvent[] => {
    const start = { introduced: from ?? "0" };
    if (to === null) return [start];
    return [start, inclusive ? { last_affected: to } : { fixed: to }];
  });
  return {
    packageName: a.packageName,
    severity: a.severity ?? b.severity,
    affected: affectedVersions(ranges, [...a.affected.versions, ...b.affected.versions]),
  };
}

function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}
