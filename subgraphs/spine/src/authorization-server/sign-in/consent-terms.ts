import { hash } from "node:crypto";
import type { Grant, Provider } from "oidc-provider";
import type { Pool } from "pg";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { holdersOfClient } from "./secret-holders-statement.js";

/** Digest of what a consent depends on beside its scopes: who gets the tokens, and to which addresses codes are sent. */
export type ConsentTerms = string;

/**
 * The terms of a consent to this client. A new secret or key of the same holder does not change them. The addresses are
 * those against which the request was checked: addresses that are read again could have changed in between.
 */
export async function consentTerms(pool: Pool, client: RegisteredClient): Promise<ConsentTerms> {
  const { clientId, tenantId, firstParty, isPublic, jwks, redirectUris } = client;
  const { rows } = await pool.query<{ principal: string }>({ ...holdersOfClient, values: [clientId] });
  const holders = rows.map(({ principal }) => principal);
  const terms = [clientId, tenantId, firstParty, isPublic, jwks !== null, redirectUris.toSorted(), holders];
  return hash("sha256", JSON.stringify(terms), "hex");
}

const member = "terms";

/** Whether a grant was given on these terms. A grant from before terms were stored has none, so its user is asked again. */
export const hasTerms = (grant: Grant, terms: ConsentTerms) => Reflect.get(grant, member) === terms;
/** Puts the terms into a grant that is about to be stored. */
export const setTerms = (grant: Grant, terms: ConsentTerms) => Reflect.set(grant, member, terms);

/** Lets oidc-provider store the terms with a grant: it stores only the members that its model lists. */
export function storeConsentTerms({ Grant }: Provider): void {
  const stored: unknown = Reflect.get(Grant, "IN_PAYLOAD");
  Object.defineProperty(Grant, "IN_PAYLOAD", { value: [...(stored as string[]), member] });
}
