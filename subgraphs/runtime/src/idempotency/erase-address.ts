import type { Transaction } from "../unit-of-work/database.js";

/** A deleted person's address, and what stands in its place. */
interface ErasedAddress {
  readonly formerEmail: string;
  readonly replacementEmail: string;
}

/** `$2` the address as JSON text, `$3` a pattern for it, `$4` the replacement as JSON text. Whole strings are replaced. */
const eraseAddresses = {
  name: "idempotency_erase_address",
  text: `update idempotency_records
    set result = regexp_replace(result::text, $3, $4, 'gi')::json
    where tenant_id = $1 and position(lower($2) in lower(result::text)) > 0`,
};

/** The display name stands beside its person's address. Only results about users hold both, and they have no foreign JSON. */
const eraseNames = {
  name: "idempotency_erase_name",
  text: `update idempotency_records set result = (result::jsonb || '{"displayName": null}')::json
    where tenant_id = $1 and lower(result->>'email') = lower($2) and result->'displayName' is not null`,
};

/**
 * Erases an address, and the name beside it, from the results that are stored for the tenant's repeated requests. A
 * repeated request then gets the replacement.
 */
export async function eraseAddressFromResults(
  { execute, tenant }: Pick<Transaction, "execute" | "tenant">,
  { formerEmail, replacementEmail }: ErasedAddress,
): Promise<void> {
  await execute(eraseNames, [tenant.uuid, formerEmail]);
  const address = JSON.stringify(formerEmail);
  const pattern = address.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
  await execute(eraseAddresses, [tenant.uuid, address, pattern, JSON.stringify(replacementEmail)]);
}
