// Written by `npm run merge-migrations`.

export const foreignKeys = [
  `alter table catalog.template_versions add constraint template_versions_template_id_fk
    foreign key (tenant_id, template_id)
    references catalog.templates (tenant_id, template_id)
    deferrable initially deferred`,
  `alter table catalog.library_versions add constraint library_versions_library_id_fk
    foreign key (tenant_id, library_id)
    references catalog.libraries (tenant_id, library_id)
    deferrable initially deferred`,
  `alter table catalog.executions add constraint executions_template_version_id_fk
    foreign key (tenant_id, template_version_id)
    references catalog.template_versions (tenant_id, template_version_id)
    deferrable initially deferred`,
  `alter table catalog.execution_changes add constraint execution_changes_execution_id_fk
    foreign key (tenant_id, execution_id)
    references catalog.executions (tenant_id, execution_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.scaffold_files add constraint scaffold_files_scaffold_output_id_fk
    foreign key (tenant_id, scaffold_output_id)
    references catalog.executions (tenant_id, scaffold_output_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.validation_results add constraint validation_results_template_version_id_fk
    foreign key (tenant_id, template_version_id)
    references catalog.template_versions (tenant_id, template_version_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.replaced_drafts add constraint replaced_drafts_template_version_id_fk
    foreign key (tenant_id, template_version_id)
    references catalog.template_versions (tenant_id, template_version_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.advisory_packages add constraint advisory_packages_advisory_id_fk
    foreign key (tenant_id, advisory_id)
    references catalog.advisories (tenant_id, advisory_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.dependency_scans add constraint dependency_scans_template_version_id_fk
    foreign key (tenant_id, template_version_id)
    references catalog.template_versions (tenant_id, template_version_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.repository_refs add constraint repository_refs_repository_id_fk
    foreign key (tenant_id, repository_id)
    references catalog.repositories (tenant_id, repository_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.repository_packs add constraint repository_packs_repository_id_fk
    foreign key (tenant_id, repository_id)
    references catalog.repositories (tenant_id, repository_id)
    on delete cascade deferrable initially deferred`,
  `alter table catalog.repository_chunks add constraint repository_chunks_pack_id_fk
    foreign key (tenant_id, pack_id)
    references catalog.repository_packs (tenant_id, pack_id)
    on delete cascade deferrable initially deferred`,
];
