import { hash } from "node:crypto";
import type { Grant, Provider } from "oidc-provider";
import type { Pool } from "pg";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { holdersOfClient } from "./secret-holders-statement.js";

/** Digest of what a consent rests on beside its scopes: who gets the tokens, and where codes are sent to. */
export type ConsentTerms = string;

/**
 * A new secret or key of the same holder changes nothing here. Addresses are those that the request was checked against:
 * read again, they could be back at what was agreed to while the code goes elsewhere.
 */
export async function consentTerms(pool: Pool, client: RegisteredClient): Promise<ConsentTerms> {
  const { clientId, tenantId, firstParty, isPublic, jwks, redirectUris } = client;
  const { rows } = await pool.query<{ principal: string }>({ ...holdersOfClient, values: [clientId] });
  const holders = rows.map(({ principal }) => principal);
  const terms = [clientId, tenantId, firstParty, isPublic, jwks !== null, redirectUris.toSorted(), holders];
  return hash("sha256", JSON.stringify(terms), "hex");
}

const member = "terms";

/** Consents from before terms were stored have none, so people are asked again. */
export const hasTerms = (grant: Grant, terms: ConsentTerms) => Reflect.get(grant, member) === terms;
export const setTerms = (grant: Grant, terms: ConsentTerms) => Reflect.set(grant, member, terms);

/** oidc-provider stores of a grant what its model lists. */
export function storeConsentTerms({ Grant }: Provider): void {
  const stored: unknown = Reflect.get(Grant, "IN_PAYLOAD");
  Object.defineProperty(Grant, "IN_PAYLOAD", { value: [...(stored as string[]), member] });
}
