import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";

/** A provider of a tenant. */
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
  /** The project of the Inbound subscription. */
  readonly subscriptionProject: string | null;
}

/** A tenant to which a delivery with a signature by the vendor's key may belong. */
export interface Claim extends Registration {
  /** The resource that a hint names. */
  readonly subscriptionId: string | null;
  readonly connectionId: string | null;
  /** The project of the Inbound subscription. */
  readonly subscriptionProject: string | null;
  /** The account at the vendor of the connection that a hint names. */
  readonly account: string | null;
  /** Whether it takes deliveries now. Others count too, so that their deliveries go to nobody else meanwhile. */
  readonly takesPart: boolean;
}

/** The tenants and the secrets that may verify a delivery, in the order in which they are tried. */
export interface CandidateSet {
  readonly candidates: readonly Candidate[];
  /** Those of one resource, or of all tenants that registered the provider, for signatures with a key of the vendor. */
  readonly claims: readonly Claim[];
  /** Whether no tenant was left out for its number, so that a public key of several tenants is recognized. */
  readonly isWhole: boolean;
}

export const isEmpty = ({ candidates, claims }: CandidateSet): boolean => candidates.length + claims.length === 0;
