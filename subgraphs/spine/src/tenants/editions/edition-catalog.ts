import type { Notifications } from "@factory/runtime/connections/listener";
import type { DomainError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { EditionFeature, EditionFeatures } from "@factory/schema/edition-features";
import type { Pool } from "pg";
import type { EditionType } from "./edition.type.js";
import { editionColumns, editionView, readEdition, type StoredEdition } from "./edition.view.js";

/** PostgreSQL channel for changed editions. */
export const editionsChannel = "spine_editions";

const noFeatures: EditionFeatures = {};

/** Versions only ascend and no edition is deleted, so the sum differs after each change. */
const digest = { name: "editions_digest", text: "select coalesce(sum(version), 0)::text as digest from editions" };
const all = { name: "all_editions", text: `select ${editionColumns} from editions order by code` };

/**
 * The editions in memory. A change reaches every process soon after its commit, by a notification or at the next look,
 * which comes once a second.
 */
export class EditionCatalog {
  readonly #workers: Pick<Pool, "query">;
  readonly #listener: Notifications;
  readonly #loop: DrainLoop;
  #digest = "";
  #reading: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #editions: ReadonlyMap<string, EditionType> = new Map();

  /** `workers` connects as the worker role. */
  constructor(workers: Pick<Pool, "query">, listener: Notifications, logger: Logger) {
    this.#workers = workers;
    this.#listener = listener;
    this.#loop = new DrainLoop(
      "editions",
      async () => {
        await this.refresh();
        return "empty";
      },
      logger,
    );
  }

  /** Reads the editions, and follows their changes from then on. */
  async start(): Promise<void> {
    await this.#listener.on(editionsChannel, () => this.#loop.wake());
    await this.refresh();
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  find(code: string): EditionType | undefined {
    return this.#editions.get(code);
  }

  /** The edition's features; none for an unknown code. */
  featuresOf(code: string): EditionFeatures {
    return this.#editions.get(code)?.features ?? noFeatures;
  }

  /** One feature in the edition; undefined if the edition does not have it. */
  featureOf(code: string, featureKey: string): EditionFeature | undefined {
    const features = this.featuresOf(code);
    return Object.hasOwn(features, featureKey) ? features[featureKey] : undefined;
  }

  /** Whether any edition has a feature with this key. */
  knowsFeature(featureKey: string): boolean {
    return [...this.#editions.values()].some(({ features }) => Object.hasOwn(features, featureKey));
  }

  /**
   * Whether a tenant can choose the edition. An edition from another process may be a second old, so it is looked up.
   */
  async canBeChosen(code: string): Promise<boolean> {
    if (!this.#editions.has(code)) await this.refresh();
    return this.#editions.get(code)?.active === true;
  }

  /** The refusal for a code that no tenant can choose: REFERENCE_NOT_FOUND with UNKNOWN_VALUE. */
  unknown(pointer: string): DomainError {
    const allowedCodes = [...this.#editions.values()].filter(({ active }) => active).map(({ code }) => code);
    return invalidEnumValue([{ pointer, allowed: allowedCodes }], "REFERENCE_NOT_FOUND");
  }

  /**
   * Reads the editions if they have changed, one read after the other. Callers at the same time share one read that has
   * not begun.
   */
  refresh(): Promise<void> {
    if (this.#next) return this.#next;
    const next = this.#reading.then(() => {
      this.#next = undefined;
      return this.#read();
    });
    this.#next = next;
    this.#reading = next.catch(() => undefined);
    return next;
  }

  async #read(): Promise<void> {
    const { rows: digests } = await this.#workers.query<{ digest: string }>(digest);
    const catalogDigest = digests[0]?.digest ?? "";
    if (catalogDigest === this.#digest) return;
    const { rows } = await this.#workers.query<StoredEdition>(all);
    this.#editions = new Map(rows.map((row) => [row.code, editionView(readEdition(row))]));
    this.#digest = catalogDigest;
  }
}
