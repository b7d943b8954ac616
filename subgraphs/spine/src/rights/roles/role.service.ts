import type { RowOf } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { booleanFilter, textCondition } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { LockMode } from "@mikro-orm/postgresql";
import { recordRevocation } from "../../ground/revocations/record-revocation.js";
import { requireSignInForLastingRight } from "../access-control/lasting-right.js";
import type { PermissionLossHandler } from "../access-control/permission-loss.js";
import { requireGrantable } from "./assign-roles.js";
import { Role } from "./role.entity.js";
import { recordRole } from "./role.events.js";
import type { CreateRoleInput, RoleFilterInput, UpdateRoleInput } from "./role.input.js";
import type { RoleConnection, RoleType } from "./role.type.js";
import { readRole, roleColumns, roleView } from "./role.view.js";
import { RoleAssignment } from "./role-assignment.entity.js";
import { unassignRoles } from "./unassign-roles.js";

const oneRole = keyStatement(
  "one_role",
  `select ${roleColumns} from roles where tenant_id = scope.tenant and role_id = $2`,
);

export const sortedRoles = new SortedList<RoleType, TenantStatement>({
  list: "roles",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
    code: { column: "code", type: "text", of: ({ code }) => code },
    name: { column: "name", type: "text", of: ({ name }) => name },
  },
  id: { column: "role_id", type: "uuid", of: ({ roleId }) => decodeId("rol", roleId) ?? "" },
  byDefault: "createdAt",
  filters: {
    isSystem: booleanFilter("is_system"),
    q: textCondition((text) => `strpos(lower(code), lower(${text})) > 0`),
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${roleColumns} from roles where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Reads roles and changes the roles that a tenant has created. The caller's token must hold their scopes. */
export class RoleService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #onPermissionLoss: PermissionLossHandler;

  constructor(database: Database, cursors: CursorSeal, onPermissionLoss: PermissionLossHandler) {
    this.#database = database;
    this.#cursors = cursors;
    this.#onPermissionLoss = onPermissionLoss;
  }

  async find(context: RequestContext, roleId: string): Promise<RoleType | undefined> {
    const uuid = decodeId("rol", roleId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<RowOf<Role>>(oneRole, tenantOf(context), uuid);
    return row && roleView(readRole(row));
  }

  async get(context: RequestContext, roleId: string): Promise<RoleType> {
    const role = await this.find(context, roleId);
    if (!role) throw unknownRole();
    return role;
  }

  list(context: RequestContext, request: PageRequest<RoleFilterInput>): Promise<RoleConnection> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedRoles, list, request, (row: RowOf<Role>) => roleView(readRole(row)));
  }

  async create(context: RequestContext, input: CreateRoleInput): Promise<RoleType> {
    const scopes = tenantScopesOf(input.scopes);
    requireGrantable(context, [{ scopes }]);
    const { code, name, description = null } = input;
    try {
      return await idempotentMutation(this.#database, context, {
        field: "createRole",
        arguments: { input },
        commit: async (transaction) => {
          const { em, tenant } = transaction;
          const now = new Date();
          const role = em.create(Role, {
            tenantId: tenant.tenantId,
            roleId: newId("rol"),
            ...{ code, name, description, scopes },
            isSystem: false,
            createdAt: now,
            updatedAt: now,
          });
          em.persist(role);
          recordRole(transaction, "RoleCreated", role);
          return roleView(role);
        },
      });
    } catch (error) {
      if (violatedUnique(error) === "roles_code")
        throw new DomainError("CONFLICT", { detail: `The tenant already has a role "${code}". Choose another code.` });
      throw error;
    }
  }

  /** If the role loses a scope, its holders' tokens are revoked. */
  async update(context: RequestContext, roleId: string, input: UpdateRoleInput): Promise<RoleType> {
    const scopes = input.scopes == null ? undefined : tenantScopesOf(input.scopes);
    return idempotentMutation(this.#database, context, {
      field: "updateRole",
      arguments: { roleId, input },
      prepare: () => requireSignInForLastingRight(this.#database, context),
      commit: async (transaction) => {
        const role = await customRole(transaction, roleId);
        requireGrantable(context, [role, { scopes: scopes ?? [] }]);
        const isNarrowed = scopes !== undefined && role.scopes.some((scope) => !scopes.includes(scope));
        const { name, description } = input;
        if (name != null) role.name = name;
        if (description != null) role.description = description === "" ? null : description;
        if (scopes) role.scopes = scopes;
        role.updatedAt = new Date();
        recordRole(transaction, "RoleUpdated", role);
        if (isNarrowed) await this.#narrowed(transaction, role);
        return roleView(role);
      },
    });
  }

  /** Also deletes the role's assignments. */
  async delete(context: RequestContext, roleId: string): Promise<RoleType> {
    return idempotentMutation(this.#database, context, {
      field: "deleteRole",
      arguments: { roleId },
      commit: async (transaction) => {
        const role = await customRole(transaction, roleId);
        requireGrantable(context, [role]);
        const unassignedBy = principalOf(context).subject;
        await unassignRoles(transaction, await holders(transaction, role, LockMode.PESSIMISTIC_WRITE), {
          unassignedBy,
          reason: "RoleDeleted",
          onPermissionLoss: this.#onPermissionLoss,
        });
        transaction.em.remove(role);
        recordRole(transaction, "RoleDeleted", role);
        return roleView(role);
      },
    });
  }

  async #narrowed(transaction: Transaction, role: Role): Promise<void> {
    const holderIds = (await holders(transaction, role)).map(({ assignment }) => assignment.principalId);
    if (holderIds.length === 0) return;
    await recordRevocation(transaction, "Principal", ...holderIds);
    await this.#onPermissionLoss(transaction, holderIds);
  }
}

/** NOT_FOUND, the same for an unknown id and for another tenant's role. */
function unknownRole(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "The role does not exist in this tenant." });
}

/** Locks the role until the transaction ends, so that changes of its assignments come one after the other. */
export async function lockRole({ em, tenant }: Transaction, roleId: string): Promise<Role> {
  const isWellFormed = decodeId("rol", roleId) !== undefined;
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const role = isWellFormed ? await em.findOne(Role, { tenantId: tenant.tenantId, roleId }, lock) : null;
  if (!role) throw unknownRole();
  return role;
}

async function customRole(transaction: Transaction, roleId: string): Promise<Role> {
  const role = await lockRole(transaction, roleId);
  if (role.isSystem)
    throw new DomainError("CONFLICT", {
      detail: `"${role.code}" is a system role of the platform and cannot be changed. Create a role of the tenant instead.`,
    });
  return role;
}

const holders = ({ em }: Transaction, { tenantId, roleId, code }: Role, lockMode?: LockMode.PESSIMISTIC_WRITE) =>
  em
    .find(RoleAssignment, { tenantId, roleId }, lockMode === undefined ? {} : { lockMode })
    .then((assignments) => assignments.map((assignment) => ({ assignment, roleCode: code })));

/** Throws REFERENCE_NOT_FOUND (422) with a pointer to each unknown scope. */
function tenantScopesOf(requestedScopes: readonly string[]): Scope[] {
  const isTenantScope = (scope: string) => tenantScopes.some((tenantScope) => tenantScope === scope);
  const errors = requestedScopes.flatMap((scope, at) =>
    isTenantScope(scope)
      ? []
      : [{ pointer: `/input/scopes/${at}`, code: "UNKNOWN_VALUE", detail: `"${scope}" is not a scope of a tenant.` }],
  );
  if (errors.length > 0)
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: "The input names scopes that do not exist. Correct or remove the scopes that errors names.",
      errors,
    });
  return tenantScopes.filter((scope) => requestedScopes.includes(scope));
}
