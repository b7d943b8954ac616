import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { booleanFilter } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { checkedFeatures } from "./checked-features.js";
import { Edition } from "./edition.entity.js";
import type { CreateEditionInput, EditionFilterInput, UpdateEditionInput } from "./edition.input.js";
import type { EditionConnection, EditionType, EditionVersionType } from "./edition.type.js";
import { editionColumns, editionView, readEdition, type StoredEdition } from "./edition.view.js";
import type { EditionCatalog } from "./edition-catalog.js";
import { lockEdition, nextVersion, recordEdition, unknownEdition } from "./edition-change.js";
import { EditionVersion } from "./edition-version.entity.js";

const maxEditions = 100;
const maxHistory = 50;
/** The ORM inserts the edition and its version in any order. */
const primaryKeys = ["editions_pkey", "edition_versions_pkey"];

export const sortedEditions = new SortedList<EditionType, string>({
  list: "editions",
  columns: { code: { column: "code", type: "text", unique: true, of: ({ code }) => code } },
  id: { column: "code", type: "text", of: ({ code }) => code },
  byDefault: "code",
  filters: { active: booleanFilter("active") },
  ofPlatform: true,
  statement: (_name, { filters, after, order, limit }) =>
    `select ${editionColumns} from editions where true ${filters} ${after}
     order by ${order} limit ${limit}`,
});

/** Reads editions, and changes them for platform administrators. */
export class EditionService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #catalog: EditionCatalog;

  constructor(database: Database, cursors: CursorSeal, catalog: EditionCatalog) {
    this.#database = database;
    this.#cursors = cursors;
    this.#catalog = catalog;
  }

  async get(code: string): Promise<EditionType> {
    const edition = this.#catalog.find(code);
    if (!edition) throw unknownEdition();
    return edition;
  }

  async list(context: RequestContext, request: PageRequest<EditionFilterInput>): Promise<EditionConnection> {
    const page = sortedEditions.page(this.#cursors, {}, request);
    const rows = await this.#database.transaction(tenantOf(context), { trace: context.trace }, ({ execute }) =>
      execute<StoredEdition>(page.statement, page.values),
    );
    return page.connection(rows.map((row) => editionView(readEdition(row))));
  }

  /** The latest versions, newest first. */
  async history(context: RequestContext, code: string): Promise<EditionVersionType[]> {
    const tenant = { ...tenantOf(context), platform: true } as const;
    return this.#database.transaction(tenant, { trace: context.trace }, async ({ em }) => {
      const versions = await em.find(EditionVersion, { code }, { orderBy: { version: "desc" }, limit: maxHistory });
      return versions.map(({ changedAt, ...version }) => ({ ...version, changedAt: changedAt.toISOString() }));
    });
  }

  async create(context: RequestContext, input: CreateEditionInput): Promise<EditionType> {
    const features = checkedFeatures(input.features);
    const { code, name } = input;
    try {
      return await this.#change(context, "createEdition", { input }, async (transaction) => {
        const { em } = transaction;
        if ((await em.count(Edition)) >= maxEditions)
          throw new DomainError("CONFLICT", {
            detail: `The platform has ${maxEditions} editions, which is the limit. Change an edition that is not used.`,
            limit: maxEditions,
          });
        const now = new Date();
        const edition = em.create(Edition, {
          ...{ code, name, features, description: input.description || null, trialDays: input.trialDays ?? 0 },
          ...{ active: true, selfService: input.selfService ?? true, version: 1, createdAt: now, updatedAt: now },
        });
        em.persist(edition);
        return recordEdition(transaction, context, edition, null);
      });
    } catch (error) {
      if (primaryKeys.some((key) => violatedUnique(error) === key))
        throw new DomainError("CONFLICT", { detail: `The edition "${code}" exists already. Choose another code.` });
      throw error;
    }
  }

  update(context: RequestContext, code: string, input: UpdateEditionInput): Promise<EditionType> {
    const features = input.features == null ? undefined : checkedFeatures(input.features);
    return this.#change(context, "updateEdition", { code, input }, async (transaction) => {
      const edition = await lockEdition(transaction, code);
      const { name, description, trialDays, selfService } = input;
      return nextVersion(transaction, context, edition, {
        ...(name == null ? {} : { name }),
        ...(description == null ? {} : { description: description || null }),
        ...(trialDays == null ? {} : { trialDays }),
        ...(selfService == null ? {} : { selfService }),
        ...(features ? { features } : {}),
      });
    });
  }

  /** Makes an earlier version the current one again, as a new version. */
  revert(context: RequestContext, code: string, version: number): Promise<EditionType> {
    return this.#change(context, "revertEdition", { code, version }, async (transaction) => {
      const edition = await lockEdition(transaction, code);
      const earlier = await transaction.em.findOne(EditionVersion, { code, version });
      if (!earlier) throw new DomainError("NOT_FOUND", { detail: `The edition has no version ${version}.` });
      const { name, description, trialDays, features, active, selfService } = earlier;
      const values = { name, description, trialDays, features, active, selfService };
      return nextVersion(transaction, context, edition, values, version);
    });
  }

  /** No tenant can choose the edition from now on. A repetition changes nothing. */
  retire(context: RequestContext, code: string): Promise<EditionType> {
    return this.#change(context, "retireEdition", { code }, async (transaction) => {
      const edition = await lockEdition(transaction, code);
      return nextVersion(transaction, context, edition, { active: false });
    });
  }

  /** This process has the change in memory when the caller gets the answer. */
  async #change(
    context: RequestContext,
    field: string,
    args: object,
    commit: (transaction: Transaction) => Promise<EditionType>,
  ): Promise<EditionType> {
    const tenant = { ...tenantOf(context), platform: true } as const;
    const mutation = { field, arguments: args, tenant, commit };
    const edition: Pick<EditionType, keyof EditionType> = await idempotentMutation(this.#database, context, mutation);
    // The change is committed: when it cannot be read now, the next look finds it.
    await this.#catalog.refresh().catch(() => undefined);
    // a result that the release before stored for a repeated request does not have the member
    return { ...edition, selfService: edition.selfService ?? true };
  }
}
