import { columnsOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import { Passkey } from "./passkey.entity.js";
import type { KnownPasskey, NewPasskey } from "./passkey-ceremonies.js";

/** A passkey as it is stored. */
export interface StoredPasskey extends KnownPasskey {
  readonly tenant: Tenant;
  /** `fac_…` */
  readonly factorId: string;
  readonly name: string;
  readonly addedAt: Date;
  readonly lastUsedAt: Date | null;
}

const storedMembers = [
  "tenantId",
  "factorId",
  "userId",
  "credentialId",
  "publicKey",
  "transports",
  "deviceBound",
  "name",
  "addedAt",
  "lastUsedAt",
] as const;

type PasskeyRow = RowOf<Passkey, (typeof storedMembers)[number]>;

const columns = columnsOf(Passkey, storedMembers);
const readPasskey = rowReader(Passkey);
const ofUser = tenantStatement(
  "passkeys_of_user",
  `select ${columns} from passkeys where tenant_id = scope.tenant and user_id = $2 order by factor_id`,
);
const byCredential = {
  name: "passkey_by_credential",
  text: `select ${columns} from passkeys where credential_id = $1`,
};
/** A counter that did not rise belongs to a copied key, or to an answer that was used before. */
const storeUse = {
  name: "passkey_used",
  text: `update passkeys set signature_count = $3::bigint, last_used_at = now()
    where tenant_id = $1 and factor_id = $2
      and (signature_count < $3::bigint or (signature_count = 0 and $3::bigint = 0))
    returning factor_id`,
};

/** Reads passkeys. */
export class PasskeyStore {
  readonly #workers: Pool;
  readonly #reader: TenantReader;

  /** `workers` connects as the worker role, which finds a passkey before its tenant is known. */
  constructor(workers: Pool, reader: TenantReader) {
    this.#workers = workers;
    this.#reader = reader;
  }

  /** A user's passkeys, the oldest first. */
  async ofUser(tenant: Tenant, userId: string): Promise<readonly StoredPasskey[]> {
    const rows = await this.#reader.rows<PasskeyRow>(ofUser, tenant, decodeId("usr", userId));
    return rows.map(storedPasskey);
  }

  /** The passkey with this credential ID, in any tenant. */
  async byCredential(credentialId: string): Promise<StoredPasskey | undefined> {
    const { rows } = await this.#workers.query<PasskeyRow>({ ...byCredential, values: [credentialId] });
    return rows[0] && storedPasskey(rows[0]);
  }
}

function storedPasskey(row: PasskeyRow): StoredPasskey {
  const { tenantId, ...passkey } = readPasskey(row);
  return { tenant: tenantWithId(tenantId), ...passkey };
}

/** Stores a new passkey and returns its id. The user's row is locked, so that the count stays true. */
export function addPasskey(
  { em, tenant: { tenantId } }: Transaction,
  { signatureCount, ...facts }: NewPasskey & { readonly userId: string; readonly name: string },
): string {
  const factorId = newId("fac");
  em.persist(
    em.create(Passkey, {
      ...{ tenantId, factorId, addedAt: new Date(), lastUsedAt: null },
      ...facts,
      transports: [...facts.transports],
      signatureCount: String(signatureCount),
    }),
  );
  return factorId;
}

/** The number of a user's passkeys. */
export function countPasskeys({ em, tenant: { tenantId } }: Transaction, userId: string): Promise<number> {
  return em.count(Passkey, { tenantId, userId });
}

/** Stores a use's time and counter. False: the counter did not rise, or the passkey was removed. */
export async function recordPasskeyUse(
  { execute, tenant }: Transaction,
  factorId: string,
  signatureCount: number,
): Promise<boolean> {
  return (await execute(storeUse, [tenant.uuid, decodeId("fac", factorId), signatureCount])).length === 1;
}

/** False: the user has no such passkey. */
export async function removePasskey(
  { em, tenant: { tenantId } }: Transaction,
  userId: string,
  factorId: string,
): Promise<boolean> {
  if (decodeId("fac", factorId) === undefined) return false;
  return (await em.nativeDelete(Passkey, { tenantId, userId, factorId })) === 1;
}

/** False: the user has no such passkey. */
export async function renamePasskey(
  { em, tenant: { tenantId } }: Transaction,
  passkey: { readonly userId: string; readonly factorId: string; readonly name: string },
): Promise<boolean> {
  const { userId, factorId, name } = passkey;
  if (decodeId("fac", factorId) === undefined) return false;
  return (await em.nativeUpdate(Passkey, { tenantId, userId, factorId }, { name })) === 1;
}

/** Deletes a user's passkeys and returns their ids. */
export async function erasePasskeys({ execute, tenant }: Transaction, userId: string): Promise<readonly string[]> {
  const deletedPasskeys = await execute<{ factor_id: string }>(
    "delete from passkeys where tenant_id = $1 and user_id = $2 returning factor_id",
    [tenant.uuid, decodeId("usr", userId)],
  );
  return deletedPasskeys.map(({ factor_id: id }) => encodeId("fac", id));
}
