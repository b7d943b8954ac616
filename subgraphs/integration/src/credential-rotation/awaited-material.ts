import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { waitingVersion } from "./awaited-material-statement.js";

/** The reason for a rotation's failure when its new version got no secret. */
export const materialNotGiven =
  "The new secret was not given within 7 days, so the current version stays. Start another rotation to replace it.";

/** Throws MATERIAL_NOT_GIVEN for a version that still waits for its secret. */
export async function requireMaterial(
  reader: TenantReader,
  tenant: Tenant,
  { credentialId, version }: { readonly credentialId: string; readonly version: number },
): Promise<void> {
  const waiting = await reader.row(waitingVersion, tenant, decodeId("crd", credentialId), version);
  if (waiting) throw new DomainError("MATERIAL_NOT_GIVEN", { detail: materialNotGiven });
}
