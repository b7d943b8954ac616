/** Makes a repository's row before its first push. The parameters are: tenant, repository, owner, name, branch. */
export const insertRepository = {
  name: "insert_repository",
  text: `insert into repositories (tenant_id, repository_id, owner, name, head, version, bytes, pack_count)
    values ($1, $2, $3, $4, $5, 0, 0, 0) on conflict (tenant_id, owner, name) do nothing`,
};
