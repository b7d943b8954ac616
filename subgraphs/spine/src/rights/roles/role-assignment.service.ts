import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { lockPrincipalStatus } from "../access-control/active-principal-statement.js";
import { requireSignInForLastingRight } from "../access-control/lasting-right.js";
import type { PermissionLossHandler } from "../access-control/permission-loss.js";
import { assignRoles, recordRoleAssigned, requireGrantable } from "./assign-roles.js";
import { requireAnotherOwner } from "./last-owner-statement.js";
import type { OwnerArrivals } from "./owners.js";
import type { Role } from "./role.entity.js";
import type { AssignRoleInput } from "./role.input.js";
import { lockRole, type RoleService } from "./role.service.js";
import type { AssignedRoleType, RoleAssignmentConnection, RoleAssignmentType } from "./role.type.js";
import { type AssignmentFacts, assignmentView } from "./role.view.js";
import { RoleAssignment } from "./role-assignment.entity.js";
import { ownerRole } from "./system-roles.js";
import { expiryActor, unassignRoles } from "./unassign-roles.js";

const readAssignment = rowReader(RoleAssignment);

const assignmentById = keyStatement(
  "role_assignment_by_id",
  `select assignment.*, role.code as role_code from role_assignments assignment
   join roles role on role.tenant_id = scope.tenant and role.role_id = assignment.role_id
   where assignment.tenant_id = scope.tenant and assignment.assignment_id = $2
     and (assignment.expires_at is null or assignment.expires_at > now())`,
);

/** A row lock is needed although the role is locked: deleting a user removes assignments without that lock. */
const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

export const sortedAssignments = new SortedList<RoleAssignmentType, TenantStatement>({
  list: "roleAssignments",
  columns: { assignedAt: { column: "assigned_at", type: "timestamptz", of: ({ assignedAt }) => assignedAt } },
  id: { column: "assignment_id", type: "uuid", of: ({ assignmentId }) => decodeId("asg", assignmentId) ?? "" },
  byDefault: "assignedAt",
  parameters: ["role"],
  statement: (name, { place, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${columnsOf(RoleAssignment)} from role_assignments
       where tenant_id = scope.tenant and role_id = ${place("role")} and (expires_at is null or expires_at > now()) ${after}
       order by ${order} limit ${limit}`,
    ),
});

interface AssignmentParts {
  readonly database: Database;
  readonly cursors: CursorSeal;
  readonly roles: RoleService;
  readonly onPermissionLoss: PermissionLossHandler;
  readonly arrivals: OwnerArrivals;
}

/** Assigns and unassigns roles. The caller's token must hold every scope in the role. */
export class RoleAssignmentService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #roles: RoleService;
  readonly #onPermissionLoss: PermissionLossHandler;
  readonly #arrivals: OwnerArrivals;

  constructor({ database, cursors, roles, onPermissionLoss, arrivals }: AssignmentParts) {
    this.#database = database;
    this.#cursors = cursors;
    this.#roles = roles;
    this.#onPermissionLoss = onPermissionLoss;
    this.#arrivals = arrivals;
  }

  async find(context: RequestContext, assignmentId: string): Promise<RoleAssignmentType | undefined> {
    const uuid = decodeId("asg", assignmentId);
    if (uuid === undefined) return undefined;
    const { reader } = this.#database;
    const row = await reader.row<RowOf<RoleAssignment> & { role_code: string }>(
      assignmentById,
      tenantOf(context),
      uuid,
    );
    return row && assignmentView(readAssignment(row), row.role_code);
  }

  async list(context: RequestContext, roleId: string, request: PageRequest<never>): Promise<RoleAssignmentConnection> {
    const tenant = tenantOf(context);
    const scope = { tenantId: tenant.tenantId, roleId };
    const page = sortedAssignments.page(this.#cursors, scope, request, { role: decodeId("rol", roleId) });
    const { code } = await this.#roles.get(context, roleId);
    const { reader } = this.#database;
    const rows = await reader.rows<RowOf<RoleAssignment>>(page.statement, tenant, ...page.values);
    const nodes = rows.map((row) => assignmentView(readAssignment(row), code));
    return page.connection(nodes);
  }

  /** A principal that holds the role already keeps the assignment, with the new expiry if one is given. */
  async assign(context: RequestContext, roleId: string, input: AssignRoleInput): Promise<AssignedRoleType> {
    const { principalId, pointer } = principalIn(input);
    const expiresAt = expiryIn(input);
    return idempotentMutation(this.#database, context, {
      field: "assignRole",
      arguments: { roleId, input },
      prepare: () => requireSignInForLastingRight(this.#database, context),
      commit: async (transaction) => {
        const role = await lockRole(transaction, roleId);
        requireGrantable(context, [role]);
        if ((await lockPrincipalStatus(transaction, principalId)) !== "Active")
          throw new DomainError("REFERENCE_NOT_FOUND", {
            detail: "A role can be assigned only to an active user or client of this tenant.",
            errors: [
              { pointer, code: "UNKNOWN_VALUE", detail: `The tenant has no active principal "${principalId}".` },
            ],
          });
        const assignedBy = principalOf(context).subject;
        const currentAssignment = await this.#heldBy(transaction, role, principalId);
        if (currentAssignment)
          return { ...(await updateExpiry(transaction, role, { held: currentAssignment, expiresAt })), created: false };
        const [assignment] = assignRoles(transaction, [role], {
          principalId,
          assignedBy,
          expiresAt: expiresAt ?? null,
        });
        if (!assignment) throw new Error("assignRoles returned no assignment for one role");
        await this.#arrivals.tell(transaction, [role], principalId);
        return { ...assignmentView(assignment, role.code), created: true };
      },
    });
  }

  async unassign(context: RequestContext, roleId: string, assignmentId: string): Promise<RoleAssignmentType> {
    return idempotentMutation(this.#database, context, {
      field: "unassignRole",
      arguments: { roleId, assignmentId },
      commit: async (transaction) => {
        const { em, tenant } = transaction;
        const role = await lockRole(transaction, roleId);
        const isWellFormed = decodeId("asg", assignmentId) !== undefined;
        const { tenantId } = tenant;
        const assignment = isWellFormed
          ? await em.findOne(RoleAssignment, { tenantId, roleId, assignmentId }, lock)
          : null;
        if (!assignment) throw new DomainError("NOT_FOUND", { detail: "The role has no assignment with this id." });
        const { subject } = principalOf(context);
        // principals may always give up their own roles
        if (assignment.principalId !== subject) requireGrantable(context, [role]);
        if (isPermanentOwner(role, assignment)) await requireAnotherOwner(transaction, assignment.principalId);
        await unassignRoles(transaction, [{ assignment, roleCode: role.code }], {
          unassignedBy: subject,
          reason: "Requested",
          onPermissionLoss: this.#onPermissionLoss,
        });
        return assignmentView(assignment, role.code);
      },
    });
  }

  /** An expired assignment that is still stored is deleted first. */
  async #heldBy(
    transaction: Transaction,
    { tenantId, roleId, code }: Role,
    principalId: string,
  ): Promise<RoleAssignment | undefined> {
    const { em } = transaction;
    const assignment = await em.findOne(RoleAssignment, { tenantId, roleId, principalId }, lock);
    if (!assignment) return undefined;
    if (assignment.expiresAt === null || assignment.expiresAt > new Date()) return assignment;
    await unassignRoles(transaction, [{ assignment, roleCode: code }], {
      unassignedBy: expiryActor,
      reason: "Expired",
      onPermissionLoss: this.#onPermissionLoss,
    });
    await em.flush();
    return undefined;
  }
}

function principalIn({ userId, principalId }: AssignRoleInput): { principalId: string; pointer: string } {
  if (userId != null && principalId == null) return { principalId: userId, pointer: "/input/userId" };
  if (principalId != null && userId == null) return { principalId, pointer: "/input/principalId" };
  const [code, detail] =
    userId == null
      ? ["REQUIRED", "Either userId or principalId is required."]
      : ["DUPLICATE", "Give userId or principalId, not both."];
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The input must name one principal, by userId or by principalId.",
    errors: [{ pointer: userId == null ? "/input/userId" : "/input/principalId", code, detail }],
  });
}

function expiryIn({ expiresAt }: AssignRoleInput): Date | undefined {
  if (expiresAt == null) return undefined;
  const time = new Date(expiresAt);
  if (time.getTime() > Date.now()) return time;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The expiry of an assignment must be in the future.",
    errors: [{ pointer: "/input/expiresAt", code: "OUT_OF_RANGE", detail: "Must be in the future." }],
  });
}

async function updateExpiry(
  transaction: Transaction,
  role: Role,
  { held, expiresAt }: { held: RoleAssignment; expiresAt: Date | undefined },
): Promise<AssignmentFacts> {
  if (expiresAt !== undefined && expiresAt.getTime() !== held.expiresAt?.getTime()) {
    if (isPermanentOwner(role, held)) await requireAnotherOwner(transaction, held.principalId);
    held.expiresAt = expiresAt;
    recordRoleAssigned(transaction, held, role.code);
  }
  return assignmentView(held, role.code);
}

const isPermanentOwner = (role: Role, { expiresAt }: RoleAssignment) =>
  role.isSystem && role.code === ownerRole && expiresAt === null;
