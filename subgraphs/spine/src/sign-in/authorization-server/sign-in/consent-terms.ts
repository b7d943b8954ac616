import { hash } from "node:crypto";
import type { Grant } from "oidc-provider";
import type { Pool } from "pg";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { holdersOfClient } from "./secret-holders-statement.js";

/** Digest of what a consent depends on beside its scopes: who gets the tokens, and to which addresses codes are sent. */
export type ConsentTerms = string;

/**
 * The terms for a consent to this client. A new secret or key from the same holder does not change them. The addresses
 * are those against which the request was checked: addresses that are read again could have changed in between.
 */
export async function consentTerms(pool: Pool, client: RegisteredClient): Promise<ConsentTerms> {
  const { clientId, tenantId, firstParty, isPublic, jwks, redirectUris } = client;
  const { rows } = await pool.query<{ principal: string }>({ ...holdersOfClient, values: [clientId] });
  const holders = rows.map(({ principal }) => principal);
  const terms = [clientId, tenantId, firstParty, isPublic, jwks !== null, redirectUris.toSorted(), holders];
  return hash("sha256", JSON.stringify(terms), "hex");
}

/** The grant member in which the provider stores the terms. */
export const termsOfGrant = "terms";

/** Whether a grant was given on these terms. A grant from before terms were stored has none, so its user is asked again. */
export const hasTerms = (grant: Grant, terms: ConsentTerms) => Reflect.get(grant, termsOfGrant) === terms;
/** Puts the terms into a grant that is about to be stored. */
export const setTerms = (grant: Grant, terms: ConsentTerms) => Reflect.set(grant, termsOfGrant, terms);
