// tables: template_versions

/** SQL: whether the Draft was replaced since a validation. The results table has the alias `result`. */
export const isVoid = `result.revision <> (select version.revision from template_versions version
  where version.tenant_id = result.tenant_id and version.template_version_id = result.template_version_id)`;
