import { tenantStatement } from "@factory/runtime/db/tenant-statement";

// tables: users, invitations

/** A tenant's taken seats: its active users, and the invitations that can still be accepted. */
export const takenSeats = tenantStatement(
  "taken_seats",
  `select (select count(*) from users where tenant_id = scope.tenant and status = 'Active')
     + (select count(*) from invitations
        where tenant_id = scope.tenant and status = 'Pending' and expires_at > now()) as usage`,
);

/** The seats that active users have taken. */
export const activeSeats = tenantStatement(
  "active_seats",
  "select count(*) as usage from users where tenant_id = scope.tenant and status = 'Active'",
);
