import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { ProviderDriver } from "../providers/provider-driver.js";

/** A provider of a tenant that takes deliveries. */
export interface Registration {
  readonly tenant: Tenant;
  readonly providerId: string;
  readonly providerKey: string;
  /** The name of the preset, which is the vendor's name in the table of normalized events. */
  readonly preset: string | null;
  readonly driver: ProviderDriver;
}

/** A resource of a tenant whose secret may verify a delivery. */
export interface Candidate extends Registration {
  /** The UUID of the credential. */
  readonly credential: string;
  readonly subscriptionId: string | null;
  readonly connectionId: string | null;
}

/** The tenants and the secrets that may verify a delivery, in the order in which they are tried. */
export interface CandidateSet {
  readonly candidates: readonly Candidate[];
  /** The tenants that registered the provider, for signatures with a key of the vendor. */
  readonly registrations: readonly Registration[];
}
