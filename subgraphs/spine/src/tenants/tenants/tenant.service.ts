import { keyStatement } from "@factory/runtime/db/key-statement";
import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { EditionCatalog } from "../editions/edition-catalog.js";
import { createTenant } from "./create-tenant.js";
import { unknownTenant } from "./find-tenant.js";
import { isReservedSlug } from "./slug.js";
import { Tenant } from "./tenant.entity.js";
import type { RegisterTenantInput, TenantFilterInput } from "./tenant.input.js";
import { tenantStates } from "./tenant.states.js";
import type { TenantConnection, TenantType } from "./tenant.type.js";
import { readTenant, type TenantRow, tenantColumns, tenantView } from "./tenant.view.js";

const ownTenant = keyStatement(
  "own_tenant",
  `select ${tenantColumns} from tenants where tenant_id = scope.tenant and tenant_id = $2`,
);

export const sortedTenants = new SortedList<TenantType, string>({
  list: "tenants",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
    name: { column: "name", type: "text", of: ({ name }) => name },
    slug: { column: "slug", type: "text", unique: true, of: ({ slug }) => slug },
  },
  id: { column: "tenant_id", type: "uuid", of: ({ tenantId }) => decodeId("ten", tenantId) ?? "" },
  byDefault: "createdAt",
  filters: {
    status: enumFilter(tenantStates, "status"),
    slug: textFilter("slug"),
    editionCode: textFilter("edition_code"),
  },
  ofPlatform: true,
  statement: (_name, { filters, after, order, limit }) =>
    `select ${tenantColumns} from tenants where true ${filters} ${after} order by ${order} limit ${limit}`,
});

/** Registers, finds and lists tenants. */
export class TenantService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #editions: EditionCatalog;

  constructor(database: Database, cursors: CursorSeal, editions: EditionCatalog) {
    this.#database = database;
    this.#cursors = cursors;
    this.#editions = editions;
  }

  /** Platform administrators with tenant.read find every tenant, other callers only their own. */
  async find(context: RequestContext, tenantId: string): Promise<TenantType | undefined> {
    const uuid = decodeId("ten", tenantId);
    if (uuid === undefined) return undefined;
    const { platformAdmin, scopes } = principalOf(context);
    const row =
      platformAdmin && scopes.has("tenant.read")
        ? (await this.#acrossTenants(context, `select ${tenantColumns} from tenants where tenant_id = $1`, [uuid]))[0]
        : await this.#database.reader.row<TenantRow>(ownTenant, tenantOf(context), uuid);
    return row && tenantView(readTenant(row));
  }

  async get(context: RequestContext, tenantId: string): Promise<TenantType> {
    const tenant = await this.find(context, tenantId);
    if (!tenant) throw unknownTenant();
    return tenant;
  }

  async register(context: RequestContext, input: RegisterTenantInput): Promise<TenantType> {
    if (isReservedSlug(input.slug))
      throw new DomainError("SLUG_TAKEN", {
        detail: `The slug "${input.slug}" is reserved by the platform. Choose another slug.`,
      });
    if (!(await this.#editions.canBeChosen(input.editionCode))) throw this.#editions.unknown("/input/editionCode");
    try {
      return await idempotentMutation(this.#database, context, {
        field: "registerTenant",
        arguments: input,
        tenant: { ...tenantOf(context), platform: true },
        commit: async (transaction) => tenantView(createTenant(transaction, input)),
      });
    } catch (error) {
      if (violatedUnique(error) === "tenants_slug")
        throw new DomainError("SLUG_TAKEN", {
          detail: `The slug "${input.slug}" belongs to another tenant. Choose another slug.`,
        });
      throw error;
    }
  }

  async list(context: RequestContext, request: PageRequest<TenantFilterInput>): Promise<TenantConnection> {
    const page = sortedTenants.page(this.#cursors, {}, request);
    const rows = await this.#acrossTenants(context, page.statement, page.values);
    return page.connection(rows.map((row) => tenantView(readTenant(row))));
  }

  /**
   * Throws NOT_FOUND or INVALID_STATE unless the transaction's tenant is Active, and keeps it Active until the
   * transaction ends.
   */
  async requireActive({ em, tenant: { tenantId } }: Transaction): Promise<void> {
    const tenant = await em.findOne(Tenant, { tenantId }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (!tenant) throw unknownTenant();
    if (tenant.status !== "Active")
      throw new DomainError("INVALID_STATE", {
        detail: `The tenant is ${tenant.status}. This operation needs a tenant that is Active.`,
        currentState: tenant.status,
        allowed: ["Active"],
      });
  }

  #acrossTenants(context: RequestContext, text: string, values: readonly unknown[]): Promise<TenantRow[]> {
    // no actor: the transaction only reads, and subscribers that share a result have different subjects
    const cause = { trace: context.trace };
    return this.#database.transaction({ ...tenantOf(context), platform: true }, cause, ({ execute }) =>
      execute<TenantRow>(text, values),
    );
  }
}
