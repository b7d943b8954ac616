import { isPackageId } from "@factory/nuget/package-id";
import type { PausableWork } from "@factory/runtime/threads/long-work";
import type { InputProblems } from "../../ground/input-problems/input-problems.js";
import { type AdvisorySeverity, advisorySeverity, type OsvScore, severityRank } from "./advisory-severity.js";
import { type AffectedVersions, type OsvEvent, UnreadableVersion, VersionCollection } from "./affected-versions.js";

/** A package that an advisory affects. */
export interface AffectedPackage {
  readonly packageName: string;
  /** Null where the advisory's severity counts. */
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
  /** Only NuGet packages. */
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

/** A document's place in the request, and the request's time. */
interface DocumentReading {
  readonly pointer: string;
  readonly problems: InputProblems;
  readonly now: Date;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The limits for one document. */
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

/** The limits for what is stored about one package, so that a scan can read the advisories of many packages. */
const storedLimits = { intervals: 100, versions: 500 };
const maxSummary = 500;
const maxUrl = 2048;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
/** A database's clock may be ahead. A later time would keep every true copy out. */
const maxAheadMs = 10 * 60_000;
const ecosystem = "nuget";
const rangeTypes: ReadonlySet<unknown> = new Set(["SEMVER", "ECOSYSTEM"]);

/**
 * Reads an advisory in the OSV format (ossf.github.io/osv-schema) and adds what is wrong with it to `problems`.
 * Packages from other ecosystems and commit ranges are left out.
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
    const entries = this.#list(document["affected"], "/affected", osvLimits.affected);
    if (this.#failed) return undefined;
    const packages = yield* this.#packages(entries, severity);
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
    const packagesByName = new Map<string, NamedPackage>();
    for (const [index, entry] of entries.entries()) {
      yield* this.#entry(entry, `/affected/${index}`, { named: packagesByName, ofAdvisory });
      if (packagesByName.size > osvLimits.packages)
        this.#fail("/affected", `An advisory may affect at most ${osvLimits.packages} packages of NuGet.`);
      if (this.#failed) return [];
      yield;
    }
    const packages: AffectedPackage[] = [];
    for (const { packageName, severity, versions, at } of packagesByName.values()) {
      const affectedVersions = yield* versions.affected();
      if (
        affectedVersions.intervals.length > storedLimits.intervals ||
        affectedVersions.versions.length > storedLimits.versions
      ) {
        const limits = `${storedLimits.intervals} separate ranges and ${storedLimits.versions} versions outside of them`;
        this.#fail(at, `The affected versions of a package may be at most ${limits}.`);
        return [];
      }
      packages.push({ packageName, severity, affected: affectedVersions });
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
    const namedPackage = named.get(key) ?? {
      ...{ packageName: name, at, severity, versions: new VersionCollection() },
      ...{ eventCount: 0, versionCount: 0 },
    };
    named.set(key, namedPackage);
    // an entry without a severity inherits the advisory's severity
    if (severityRank(severity ?? ofAdvisory) > severityRank(namedPackage.severity ?? ofAdvisory))
      namedPackage.severity = severity;
    for (const [index, range] of this.#list(entry["ranges"], `${at}/ranges`, osvLimits.ranges).entries()) {
      if (rangeTypes.has(range["type"])) this.#range(namedPackage, range, `${at}/ranges/${index}`);
      if (this.#failed) return;
      yield;
    }
    const listedVersions = this.#texts(entry["versions"], `${at}/versions`, osvLimits.versionsOfPackage);
    namedPackage.versionCount += listedVersions.length;
    if (namedPackage.versionCount > osvLimits.versionsOfPackage)
      return this.#fail(
        `${at}/versions`,
        `The entries of a package may list at most ${osvLimits.versionsOfPackage} versions together.`,
      );
    namedPackage.versions.addVersions(listedVersions);
  }

  #range(namedPackage: NamedPackage, range: JsonObject, at: string): void {
    const events = this.#events(range["events"], `${at}/events`);
    namedPackage.eventCount += events.length;
    if (namedPackage.eventCount > osvLimits.eventsOfPackage)
      return this.#fail(at, `The ranges of a package may have at most ${osvLimits.eventsOfPackage} events together.`);
    try {
      namedPackage.versions.addRange(events);
    } catch (error) {
      if (!(error instanceof UnreadableVersion)) throw error;
      this.#fail(at, `The range has the version "${error.message}", which is not a valid NuGet version.`);
    }
  }

  #events(list: unknown, at: string): OsvEvent[] {
    return this.#list(list, at, osvLimits.events).map((event, index) => {
      const { introduced, fixed, last_affected, limit } = event;
      const members = Object.entries({ introduced, fixed, last_affected, limit }).filter(
        ([, value]) => value !== undefined,
      );
      if (members.some(([, value]) => typeof value !== "string" || value.length > 100))
        this.#fail(`${at}/${index}`, "The version of an event must be a text of at most 100 characters.");
      return Object.fromEntries(members.filter(([, value]) => typeof value === "string")) as OsvEvent;
    });
  }

  #scores(value: unknown, at: string): OsvScore[] {
    return this.#list(value, at, osvLimits.scores).flatMap(({ type, score }) =>
      typeof type === "string" && typeof score === "string" ? [{ type, score }] : [],
    );
  }

  #aliases(value: unknown): string[] {
    return [...new Set(this.#texts(value, "/aliases", osvLimits.aliases).filter((alias) => idForm.test(alias)))];
  }

  #time(value: unknown, at: string): Date {
    const time = typeof value === "string" && timeForm.test(value) ? new Date(value) : undefined;
    if (time === undefined || Number.isNaN(time.getTime())) {
      this.#fail(at, "The time must be in the form 2026-01-31T12:00:00Z.");
      return new Date(0);
    }
    const { now } = this.#reading;
    if (time.getTime() > now.getTime() + maxAheadMs)
      this.#fail(at, `The time must not be later than now, which is ${now.toISOString()}.`);
    return time;
  }

  #texts(value: unknown, at: string, most: number): string[] {
    return this.#items(value, at, most).filter((item): item is string => typeof item === "string");
  }

  #list(value: unknown, at: string, most: number): JsonObject[] {
    const items = this.#items(value, at, most);
    if (items.every(isObject)) return items;
    this.#fail(at, "Each item must be an object.");
    return [];
  }

  #items(value: unknown, at: string, most: number): unknown[] {
    if (value == null) return [];
    if (Array.isArray(value) && value.length <= most) return value;
    this.#fail(at, `It must be a list of at most ${most} items.`);
    return [];
  }

  #fail(at: string, detail: string): void {
    // a hostile document has thousands of faults, and one fault tells enough
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

/** The advisory's page: a reference with type ADVISORY, otherwise the first web page. */
function urlOf(references: unknown): string | null {
  const listedReferences = Array.isArray(references) ? references.slice(0, 100).filter(isObject) : [];
  const pages = listedReferences.filter(
    ({ url }) => typeof url === "string" && url.length <= maxUrl && /^https?:\/\//.test(url) && URL.canParse(url),
  );
  const chosenPage = pages.find(({ type }) => type === "ADVISORY") ?? pages.find(({ type }) => type === "WEB");
  return chosenPage === undefined ? null : new URL(String(chosenPage["url"])).href;
}

/** A cut may divide a surrogate pair, and a lone surrogate cannot be stored. */
function cut(summary: string): string {
  return summary.replaceAll("\0", "").slice(0, maxSummary).toWellFormed();
}
