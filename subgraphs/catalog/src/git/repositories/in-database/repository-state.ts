import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Ref } from "../bare/bare-folder.js";
import type { StoredBytes } from "../port/repository-limits.js";
import type { RepositoryPlace } from "../port/repository-store.js";
import { selectState } from "./repository-statement.js";

/** A pack in a repository, without its bytes. */
export interface StoredPack {
  readonly packId: string;
  readonly checksum: string;
  readonly bytes: number;
}

/** A repository's state at one moment. */
export interface RepositoryState extends StoredBytes {
  /** A UUID; undefined before the first push. */
  readonly repositoryId: string | undefined;
  readonly version: number;
  readonly head: string | undefined;
  readonly refs: readonly Ref[];
  readonly packs: readonly StoredPack[];
}

interface StateRow {
  repository_id: string | null;
  version: number;
  head: string | null;
  bytes: string;
  tenant_bytes: string;
  refs: string;
  packs: string;
}

export async function readRepositoryState(
  reader: TenantReader,
  tenant: Tenant,
  { owner, name }: Omit<RepositoryPlace, "tenantId">,
): Promise<RepositoryState> {
  const [row] = await reader.rows<StateRow>(selectState, tenant, owner, name);
  if (!row) throw new Error("A statement that always has one row has none");
  return {
    repositoryId: row.repository_id ?? undefined,
    version: row.version,
    head: row.head ?? undefined,
    bytes: Number(row.bytes),
    tenantBytes: Number(row.tenant_bytes),
    refs: (JSON.parse(row.refs) as [string, string][]).map(([ref, objectId]) => ({ name: ref, objectId })),
    packs: (JSON.parse(row.packs) as [string, string, number][]).map(([packId, checksum, bytes]) => ({
      ...{ packId, checksum, bytes },
    })),
  };
}
