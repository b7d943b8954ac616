import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";

/** A tenant's provider. */
export interface Registration {
  readonly tenant: Tenant;
  readonly providerId: string;
  readonly providerKey: string;
  /** The preset's name, which is the vendor's name in the table of normalized events. */
  readonly preset: string | null;
  readonly driver: ProviderDriver;
}

/** A tenant's resource whose secret may verify a delivery. */
export interface Candidate extends Registration {
  /** The credential's UUID. */
  readonly credential: string;
  readonly subscriptionId: string | null;
  readonly connectionId: string | null;
  /** The Inbound subscription's project. */
  readonly subscriptionProject: string | null;
}

/** A tenant to which a delivery with a signature by the vendor's key may belong. */
export interface Claim extends Registration {
  /** The resource that a hint names. */
  readonly subscriptionId: string | null;
  readonly connectionId: string | null;
  /** The Inbound subscription's project. */
  readonly subscriptionProject: string | null;
  /** The account at the vendor for the connection that a hint names. */
  readonly account: string | null;
  /** Whether it takes deliveries now. Others count too, so that their deliveries go to nobody else meanwhile. */
  readonly takesPart: boolean;
}

/** The tenants and the secrets that may verify a delivery, in the order in which they are tried. */
export interface CandidateSet {
  readonly candidates: readonly Candidate[];
  /**
   * The candidates for one resource, or for all tenants that registered the provider, for signatures with a vendor's
   * key.
   */
  readonly claims: readonly Claim[];
  /**
   * Whether no tenant was left out because there were too many, so that a public key in several tenants is recognized.
   */
  readonly isWhole: boolean;
}

export const isEmpty = ({ candidates, claims }: CandidateSet): boolean => candidates.length + claims.length === 0;
