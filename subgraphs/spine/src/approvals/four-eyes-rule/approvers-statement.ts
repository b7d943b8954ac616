// tables: role_assignments, roles

const maxApprovers = 50;

/** The first 50 users of the tenant other than `$2` who hold governance.approve now, as `usr_…`. */
export const approversOfTenant = {
  name: "approvers_of_tenant",
  text: `select distinct assignment.principal_id from role_assignments assignment
      join roles role on role.tenant_id = $1 and role.role_id = assignment.role_id
    where assignment.tenant_id = $1 and 'governance.approve' = any(role.scopes)
      and assignment.principal_id like 'usr\\_%' and assignment.principal_id <> $2
      and (assignment.expires_at is null or assignment.expires_at > now())
    order by 1 limit ${maxApprovers}`,
};
