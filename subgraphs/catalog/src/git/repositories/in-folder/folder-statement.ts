import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** How many bytes a repository and its tenant store. They are counted after each push. */
export const selectBytes = tenantStatement(
  "repository_bytes",
  `select coalesce((select one.bytes from repositories one where one.tenant_id = scope.tenant and owner = $2
       and name = $3), 0)::text as bytes,
     (select coalesce(sum(all_of.bytes), 0)::text from repositories all_of where all_of.tenant_id = scope.tenant) as tenant_bytes`,
);

/** The parameters are: tenant, owner, name, holder. A process that has died holds the lock for a minute. */
export const takeFolderLock = {
  name: "take_repository_lock",
  text: `update repositories set locked_by = $4, locked_until = now() + interval '60 seconds'
    where tenant_id = $1 and owner = $2 and name = $3 and (locked_until is null or locked_until < now())
    returning bytes::text,
      (select sum(all_of.bytes)::text from repositories all_of where all_of.tenant_id = $1) as tenant_bytes`,
};

/** The parameters are: tenant, owner, name, holder, bytes. */
export const releaseFolderLock = {
  name: "release_repository_lock",
  text: `update repositories set locked_by = null, locked_until = null, bytes = $5, version = version + 1
    where tenant_id = $1 and owner = $2 and name = $3 and locked_by = $4`,
};
