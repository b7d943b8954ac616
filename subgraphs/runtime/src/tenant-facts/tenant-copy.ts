import type { EditionFeatures } from "@factory/schema/edition-features";

/** A tenant's facts as the spine had them at a version. */
export interface TenantCopy {
  readonly tenantId: string;
  /** A copy with a higher version is newer. */
  readonly version: number;
  readonly slug: string;
  readonly status: string;
  readonly editionCode: string;
  /** The plan subscription's state; empty before provisioning has created it. */
  readonly subscriptionStatus: string;
  /** The known settings that the tenant has set. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The limits that the platform has set for the tenant. */
  readonly limits: Readonly<Record<string, unknown>>;
}

/** An edition as the spine had it at a version. */
export interface EditionCopy {
  readonly code: string;
  /** A copy with a higher version is newer. */
  readonly version: number;
  readonly features: EditionFeatures;
}
