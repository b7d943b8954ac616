import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { mergedPacks } from "../rows/repository.entity.js";

/** The repository at a place and its version, for a look whether a cache is up to date. */
export const selectVersion = tenantStatement(
  "repository_version",
  `select repository_id, version from repositories
   where tenant_id = scope.tenant and owner = $2 and name = $3 and version > 0`,
);

/** A repository's whole state but its bytes, at one moment. Refs and packs are JSON. */
export const selectState = tenantStatement(
  "repository_state",
  `select repository_id, coalesce(version, 0) as version, head, coalesce(bytes, 0)::text as bytes,
     (select coalesce(sum(all_of.bytes), 0)::text from repositories all_of where all_of.tenant_id = scope.tenant) as tenant_bytes,
     (select coalesce(json_agg(json_build_array(ref.name, ref.object_id) order by ref.name collate "C"), '[]')::text
        from repository_refs ref where ref.tenant_id = scope.tenant and ref.repository_id = one.repository_id) as refs,
     (select coalesce(json_agg(json_build_array(pack.pack_id, pack.checksum, pack.bytes)), '[]')::text
        from repository_packs pack where pack.tenant_id = scope.tenant and pack.repository_id = one.repository_id
          and pack.expires_at is null) as packs
   from (select scope.tenant as id) asked left join repositories one
     on one.tenant_id = scope.tenant and owner = $2 and name = $3`,
);

export const selectChunk = tenantStatement(
  "repository_chunk",
  "select content from repository_chunks where tenant_id = scope.tenant and pack_id = $2 and position = $3",
);

export const selectPlace = tenantStatement(
  "repository_place",
  "select owner, name from repositories where tenant_id = scope.tenant and repository_id = $2",
);

export const selectRepositoryId = {
  name: "repository_id",
  text: "select repository_id from repositories where tenant_id = $1 and owner = $2 and name = $3",
};

/** The lock orders pushes to one repository. Both sums count what other pushes have committed. */
export const lockRepository = {
  name: "lock_repository",
  text: `select bytes::text,
      (select sum(all_of.bytes)::text from repositories all_of where all_of.tenant_id = $1) as tenant_bytes
    from repositories where tenant_id = $1 and repository_id = $2 for update`,
};

/** The parameters are: tenant, repository, ref, new object, expected object. */
export const moveRef = {
  name: "move_repository_ref",
  text: `update repository_refs set object_id = $4
    where tenant_id = $1 and repository_id = $2 and name = $3 and object_id = $5 returning true`,
};

/** A ref cannot be another ref's folder. */
export const insertRef = {
  name: "insert_repository_ref",
  text: `insert into repository_refs (tenant_id, repository_id, name, object_id) select $1, $2, $3, $4
    where not exists (select from repository_refs other where tenant_id = $1 and repository_id = $2
      and (starts_with(other.name, $3 || '/') or starts_with($3, other.name || '/')))
    on conflict do nothing returning true`,
};

/** The parameters are: tenant, repository, added packs, added bytes, HEAD's branch if HEAD names no commit. */
export const raiseVersion = {
  name: "raise_repository_version",
  text: `update repositories one set version = version + 1, pack_count = pack_count + $3, bytes = bytes + $4,
      crowded_at = case when pack_count + $3 > ${mergedPacks} then coalesce(crowded_at, now()) end,
      head = case when exists (select from repository_refs ref where ref.tenant_id = $1
        and ref.repository_id = $2 and ref.name = 'refs/heads/' || one.head) then head else $5 end
    where tenant_id = $1 and repository_id = $2`,
};

/** The parameters are: tenant, pack, repository, checksum, bytes. */
export const insertPack = {
  name: "insert_repository_pack",
  text: `insert into repository_packs (tenant_id, pack_id, repository_id, checksum, bytes)
    values ($1, $2, $3, $4, $5)`,
};

/** A pack that expires unless its push is acknowledged within an hour. */
export const insertUploadedPack = {
  name: "insert_uploaded_pack",
  text: `insert into repository_packs (tenant_id, pack_id, repository_id, checksum, bytes, expires_at)
    values ($1, $2, $3, $4, $5, now() + interval '1 hour')`,
};

export const insertChunk = {
  name: "insert_repository_chunk",
  text: "insert into repository_chunks (tenant_id, pack_id, position, content) values ($1, $2, $3, $4)",
};

/**
 * A chunk before its push is acknowledged. Its commit does not wait for the disk: the push's later commit waits for the
 * whole log up to it.
 */
export const insertUploadedChunk = {
  name: "insert_uploaded_chunk",
  text: `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
    insert into repository_chunks (tenant_id, pack_id, position, content)
    select $1::uuid, $2::uuid, $3::integer, $4::bytea from relaxed`,
};

export const keepPack = {
  name: "keep_uploaded_pack",
  text: `update repository_packs set expires_at = null
    where tenant_id = $1 and pack_id = $2 and expires_at is not null returning true`,
};

/** Readers that began before may still need a merged pack, so it stays for an hour. */
export const expirePacks = {
  name: "expire_merged_packs",
  text: `update repository_packs set expires_at = now() + interval '1 hour'
    where tenant_id = $1 and repository_id = $2 and pack_id = any($3) and expires_at is null
    returning bytes::text`,
};

export const countMergedPacks = {
  name: "count_merged_packs",
  text: `update repositories set pack_count = pack_count - $3, bytes = bytes - $4,
      crowded_at = case when pack_count - $3 > ${mergedPacks} then crowded_at end
    where tenant_id = $1 and repository_id = $2`,
};
