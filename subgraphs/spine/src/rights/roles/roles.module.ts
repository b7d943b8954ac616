import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ProvisioningSteps } from "../../tenants/tenants/provisioning-step.js";
import { PermissionLossHandlers } from "../access-control/permission-loss.js";
import { AssignmentExpiry } from "./assignment-expiry.js";
import { OwnerArrivals } from "./owners.js";
import { refreshSystemRoles, refreshSystemRolesJob, SystemRolesRefresher } from "./refresh-system-roles.js";
import { Role } from "./role.entity.js";
import { RoleResolver } from "./role.resolver.js";
import { RoleService } from "./role.service.js";
import { RoleAssignment } from "./role-assignment.entity.js";
import { RoleAssignmentResolver } from "./role-assignment.resolver.js";
import { RoleAssignmentService } from "./role-assignment.service.js";
import { seedSystemRoles } from "./seed-system-roles.js";

/** Roles, their assignments, and the platform's system roles. */
export const roles: SliceModule = {
  slice: "roles",
  entities: [Role, RoleAssignment],
  foreignKeys: {
    "role_assignments.role_id": {
      to: "roles.role_id",
      onDelete: "no action",
      why: "An assignment gives the scopes of its role. The assignments are deleted, with their events, before the role.",
    },
    "role_assignments.principal_id": { to: null, why: "The id of a user or of a client, as text." },
  },
  jobs: [refreshSystemRolesJob],
  events: ["RoleCreated", "RoleUpdated", "RoleDeleted", "RoleAssigned", "RoleUnassigned"],
  start({ database, jobs, workers, cursors, logger, work, onStarted, onStop }, services) {
    const onPermissionLoss = services.get(PermissionLossHandlers).handle;
    const service = services.add(new RoleService(database, cursors, onPermissionLoss));
    const arrivals = services.add(new OwnerArrivals());
    services.add(new RoleAssignmentService({ database, cursors, roles: service, onPermissionLoss, arrivals }));
    services.get(ProvisioningSteps).add(seedSystemRoles);
    const refresher = new SystemRolesRefresher(database, onPermissionLoss);
    work(refreshSystemRolesJob, (_, attempt) => refresher.run(attempt), maintenance);
    onStarted(() => refreshSystemRoles(database, jobs));
    const expiry = new AssignmentExpiry({ database, workers, logger, onPermissionLoss });
    onStarted(() => expiry.start());
    onStop(() => expiry.stop());
  },
  resolvers: (get) => [new RoleResolver(get(RoleService)), new RoleAssignmentResolver(get(RoleAssignmentService))],
  links: {
    "AssignedRole.assignmentId": { to: "RoleAssignment" },
    "AssignedRole.roleId": { to: "Role" },
    "AssignedRole.userId": { to: "User" },
    "RoleAssignment.roleId": { to: "Role" },
    "RoleAssignment.userId": { to: "User" },
    "RoleAssignment.principalId": { to: "Node" },
    "AssignedRole.principalId": { to: "Node" },
  },
  references(get) {
    const service = get(RoleService);
    const assignments = get(RoleAssignmentService);
    return {
      RoleAssignment: {
        id: { prefix: "asg", field: "assignmentId" },
        auth: { scopes: ["role.read"] },
        resolve: ({ assignmentId = "" }, context) => assignments.find(context, assignmentId),
      },
      Role: {
        id: { prefix: "rol", field: "roleId" },
        auth: { scopes: ["role.read"] },
        resolve: ({ roleId = "" }, context) => service.find(context, roleId),
      },
    };
  },
};
