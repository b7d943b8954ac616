import { hash } from "node:crypto";
import type { Grant, Provider } from "oidc-provider";
import type { Pool } from "pg";

/** Digest of what a consent rests on beside its scopes: who gets the tokens, and where codes are sent to. */
export type ConsentTerms = string;

/** A holder may be a client itself: whoever holds its secret counts as well. */
const termsOfClient = {
  name: "consent_terms",
  text: `with recursive holders (principal) as (
      select holder from api_clients client cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder
        where client.client_id = $1
      union
      select holder from holders join api_clients client on client.client_id = holders.principal
        cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder)
    select tenant_id, first_party, is_public, jwks is not null as has_keys,
      array(select unnest(redirect_uris) order by 1) as addresses,
      array(select principal from holders order by 1) as holders
    from api_clients where client_id = $1`,
};

/** A new secret or key of the same holder changes nothing here. */
export async function consentTerms(pool: Pool, clientId: string): Promise<ConsentTerms> {
  const { rows } = await pool.query<Record<string, unknown>>({ ...termsOfClient, values: [clientId] });
  return hash("sha256", JSON.stringify([clientId, rows[0]]), "hex");
}

const member = "terms";

/** Consents from before terms were stored have none, so people are asked again. */
export const hasTerms = (grant: Grant, terms: ConsentTerms) => Reflect.get(grant, member) === terms;
export const setTerms = (grant: Grant, terms: ConsentTerms) => Reflect.set(grant, member, terms);

/** oidc-provider stores of a grant what its model lists. */
export function storeTerms({ Grant }: Provider): void {
  const stored: unknown = Reflect.get(Grant, "IN_PAYLOAD");
  Object.defineProperty(Grant, "IN_PAYLOAD", { value: [...(stored as string[]), member] });
}
