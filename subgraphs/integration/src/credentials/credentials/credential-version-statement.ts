import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { Credential } from "./credential.entity.js";
import { CredentialVersion } from "./credential-version.entity.js";

// tables: credentials, credential_versions

export type CurrentVersionRow = RowOf<Credential, "credentialId" | "name" | "kind" | "status"> &
  RowOf<CredentialVersion, "version" | "keyId" | "wrappedKey" | "ciphertext">;

const currentVersionColumns = `${columnsOf(Credential, ["credentialId", "name", "kind", "status"], "credential")},
  ${columnsOf(CredentialVersion, ["version", "keyId", "wrappedKey", "ciphertext"], "version")}`;

export const currentVersionByName = `select ${currentVersionColumns}
   from credentials credential
   join credential_versions version on version.tenant_id = credential.tenant_id
     and version.credential_id = credential.credential_id and version.version = credential.current_version
   where credential.tenant_id = $1 and credential.name = $2`;

/** The version with a number, or the newest one in a stage; a Previous one only until its grace period ends. */
export const versionById = tenantStatement(
  "credential_version_by_id",
  `select ${currentVersionColumns}
   from credentials credential join credential_versions version using (tenant_id, credential_id)
   where credential.tenant_id = scope.tenant and credential.credential_id = $credentialId
     and ($version::int is null or version.version = $version) and ($stage::text is null or version.stage = $stage)
     and (version.stage <> 'Previous' or version.grace_ends_at > $now)
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
