import { isPackageId } from "@factory/nuget/package-id";
import type { PausableWork } from "@factory/runtime/threads/long-work";
import type { InputProblems } from "../../ground/input-problems/input-problems.js";
import { type AdvisorySeverity, advisorySeverity, type OsvScore, severityRank } from "./advisory-severity.js";
import { type AffectedVersions, type OsvEvent, UnreadableVersion, VersionCollection } from "./affected-versions.js";

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

/** A package, and everything that the entries read so far say about it. */
interface NamedPackage {
  readonly packageName: string;
  /** Points to its first entry. */
  readonly at: string;
  severity: AdvisorySeverity | null;
  readonly versions: VersionCollection;
  eventCount: number;
  versionCount: number;
}

/** The place of a document in the request, and the time of the request. */
interface DocumentReading {
  readonly pointer: string;
  readonly problems: InputProblems;
  readonly now: Date;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The limits of one document. */
export const osvLimits = {
  affected: 200,
  packages: 50,
  ranges: 50,
  events: 1000,
  aliases: 20,
  scores: 20,
  /** Limits for one package. All entries that name it count together. */
  eventsOfPackage: 2000,
  versionsOfPackage: 5000,
};

/** The limits for what is stored of one package, so that a scan can read the advisories of many. */
const storedLimits = { intervals: 100, versions: 500 };
const maxSummary = 500;
const maxUrl = 2048;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
/** The clock of a database may be ahead. A later time would keep every true copy out. */
const maxAheadMs = 10 * 60_000;
const ecosystem = "nuget";
const rangeTypes: ReadonlySet<unknown> = new Set(["SEMVER", "ECOSYSTEM"]);

/**
 * Reads an advisory in the format of OSV (ossf.github.io/osv-schema) and adds what is wrong with it to `problems`. Packages
 * of other ecosystems and ranges of commits are left out.
 */
export function readOsvDocument(
  document: JsonObject,
  reading: DocumentReading,
): PausableWork<ReadAdvisory | undefined> {
  return new OsvReader(reading).read(document);
}

class OsvReader {
  #failed = false;
  readonly #reading: DocumentReading;

  constructor(reading: DocumentReading) {
    this.#reading = reading;
  }

  *read(document: JsonObject): PausableWork<ReadAdvisory | undefined> {
    const { id, modified, published, withdrawn, summary } = document;
    if (typeof id !== "string" || !idForm.test(id))
      this.#fail("/id", "The id must be 1 to 100 letters, digits, dots, colons, hyphens and underscores.");
    const modifiedAt = this.#time(modified, "/modified");
    const withdrawnAt = withdrawn == null ? null : this.#time(withdrawn, "/withdrawn");
    if (published != null) this.#time(published, "/published");
    const severity = advisorySeverity(this.#scores(document["severity"], "/severity"), databaseWord(document));
    const aliases = this.#aliases(document["aliases"]);
    const affected = this.#list(document["affected"], "/affected", osvLimits.affected);
    if (this.#failed) return undefined;
    const packages = yield* this.#packages(affected, severity);
    if (this.#failed) return undefined;
    return {
      advisoryId: String(id),
      summary: typeof summary === "string" && summary !== "" ? cut(summary) : null,
      aliases,
      severity,
      url: urlOf(document["references"]),
      modifiedAt,
      withdrawnAt,
      packages,
    };
  }

  /** Each package once: a document may list it several times. */
  *#packages(entries: readonly JsonObject[], ofAdvisory: AdvisorySeverity | null): PausableWork<AffectedPackage[]> {
    const named = new Map<string, NamedPackage>();
    for (const [index, entry] of entries.entries()) {
      yield* this.#entry(entry, `/affected/${index}`, { named, ofAdvisory });
      if (named.size > osvLimits.packages)
        this.#fail("/affected", `An advisory may affect at most ${osvLimits.packages} packages of NuGet.`);
      if (this.#failed) return [];
      yield;
    }
    const packages: AffectedPackage[] = [];
    for (const { packageName, severity, versions, at } of named.values()) {
      const affected = yield* versions.affected();
      if (affected.intervals.length > storedLimits.intervals || affected.versions.length > storedLimits.versions) {
        const limits = `${storedLimits.intervals} separate ranges and ${storedLimits.versions} versions outside of them`;
        this.#fail(at, `The affected versions of a package may be at most ${limits}.`);
        return [];
      }
      packages.push({ packageName, severity, affected });
      yield;
    }
    return packages;
  }

  *#entry(
    entry: JsonObject,
    at: string,
    { named, ofAdvisory }: { named: Map<string, NamedPackage>; ofAdvisory: AdvisorySeverity | null },
  ): PausableWork<void> {
    const { name, ecosystem: system } = isObject(entry["package"]) ? entry["package"] : {};
    if (typeof system !== "string" || system.split(":")[0]?.toLowerCase() !== ecosystem) return;
    if (typeof name !== "string" || !isPackageId(name))
      return this.#fail(`${at}/package/name`, "The name is not a valid NuGet package ID.");
    const severity = advisorySeverity(this.#scores(entry["severity"], `${at}/severity`), databaseWord(entry));
    const key = name.toLowerCase();
    const one = named.get(key) ?? {
      ...{ packageName: name, at, severity, versions: new VersionCollection() },
      ...{ eventCount: 0, versionCount: 0 },
    };
    named.set(key, one);
    // an entry without a severity inherits the advisory's severity
    if (severityRank(severity ?? ofAdvisory) > severityRank(one.severity ?? ofAdvisory)) one.severity = severity;
    for (const [index, range] of this.#list(entry["ranges"], `${at}/ranges`, osvLimits.ranges).entries()) {
      if (rangeTypes.has(range["type"])) this.#range(one, range, `${at}/ranges/${index}`);
      if (this.#failed) return;
      yield;
    }
    const listed = this.#texts(entry["versions"], `${at}/versions`, osvLimits.versionsOfPackage);
    one.versionCount += listed.length;
    if (one.versionCount > osvLimits.versionsOfPackage)
      return this.#fail(
        `${at}/versions`,
        `The entries of a package may list at most ${osvLimits.versionsOfPackage} versions together.`,
      );
    one.versions.addVersions(listed);
  }

  #range(one: NamedPackage, range: JsonObject, at: string): void {
    const events = this.#events(range["events"], `${at}/events`);
    one.eventCount += events.length;
    if (one.eventCount > osvLimits.eventsOfPackage)
      return this.#fail(at, `The ranges of a package may have at most ${osvLimits.eventsOfPackage} events together.`);
    try {
      one.versions.addRange(events);
    } catch (error) {
      if (!(error instanceof UnreadableVersion)) throw error;
      this.#fail(at, `The range has the version "${error.message}", which is not a valid NuGet version.`);
    }
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
    if (time === undefined || Number.isNaN(time.getTime())) {
      this.#fail(at, "The time must be in the form 2026-01-31T12:00:00Z.");
      return new Date(0);
    }
    const { now } = this.#reading;
    if (time.getTime() > now.getTime() + maxAheadMs)
      this.#fail(at, `The time must not be later than now, which is ${now.toISOString()}.`);
    return time;
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
    const { problems, pointer } = this.#reading;
    if (!this.#failed) problems.add(`${pointer}${at}`, "FORMAT", detail);
    this.#failed = true;
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

/** A cut may divide a surrogate pair, and a lone surrogate cannot be stored. */
function cut(summary: string): string {
  return summary.replaceAll("\0", "").slice(0, maxSummary).toWellFormed();
}
