// Written by `npm run merge-migrations`.

export const foreignKeys = [
  `alter table spine.role_assignments add constraint role_assignments_role_id_fk
    foreign key (tenant_id, role_id)
    references spine.roles (tenant_id, role_id)
    deferrable initially deferred`,
];
