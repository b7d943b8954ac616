import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { CredentialKind, CredentialState } from "./credential.states.js";

// tables: credentials, credential_versions

export interface CurrentVersionRow {
  credential_id: string;
  name: string;
  kind: CredentialKind;
  status: CredentialState;
  version: number;
  key_id: string;
  wrapped_key: Buffer | null;
  ciphertext: Buffer;
}

export const currentVersionByName = `select credential.credential_id, credential.name, credential.kind, credential.status,
     version.version, version.key_id, version.wrapped_key, version.ciphertext
   from credentials credential
   join credential_versions version on version.tenant_id = credential.tenant_id
     and version.credential_id = credential.credential_id and version.version = credential.current_version
   where credential.tenant_id = $1 and credential.name = $2`;

/** The version in parameter 3, or the newest one of a stage; a Previous one only until the time in parameter 5. */
export const versionById = tenantStatement(
  "credential_version_by_id",
  `select credential.credential_id, credential.name, credential.kind, credential.status,
     version.version, version.key_id, version.wrapped_key, version.ciphertext
   from credentials credential join credential_versions version using (tenant_id, credential_id)
   where credential.tenant_id = scope.tenant and credential.credential_id = $2
     and ($3::int is null or version.version = $3) and ($4::text is null or version.stage = $4)
     and (version.stage <> 'Previous' or version.grace_ends_at > $5)
   order by version.version desc limit 1`,
);

export const usableVersions = tenantStatement(
  "credential_usable_versions",
  `select version.version from credentials credential join credential_versions version using (tenant_id, credential_id)
   where credential.tenant_id = scope.tenant and credential.credential_id = $2
     and credential.status not in ('Revoked', 'Expired')
     and (version.stage = 'Current' or (version.stage = 'Previous' and version.grace_ends_at > $3))
   order by version.stage, version.version desc`,
);

export const livingSecrets = tenantStatement(
  "credential_living_secrets",
  `select array_agg(version.version order by version.version desc) as versions,
     array_agg(version.key_id order by version.version desc) as key_ids,
     array_agg(version.wrapped_key order by version.version desc) as wrapped_keys,
     array_agg(version.ciphertext order by version.version desc) as ciphertexts
   from credentials credential join credential_versions version using (tenant_id, credential_id)
   where credential.tenant_id = scope.tenant and credential.credential_id = $2
     and credential.status not in ('Revoked', 'Expired') and version.wrapped_key is not null
     and (version.stage = 'Current' or (version.stage = 'Previous' and version.grace_ends_at > $3))`,
);

/** The columns are null when no version can be used. */
export interface LivingSecretsRow {
  versions: number[] | null;
  key_ids: string[] | null;
  wrapped_keys: Buffer[] | null;
  ciphertexts: Buffer[] | null;
}
