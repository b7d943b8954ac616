import type { ClientBase } from "pg";
import { identifier } from "../connections/database-roles.js";
import { EnvironmentError } from "../environment/read-environment.js";
import type { KeyLabel } from "../sealing/key-labels.js";
import type { MasterKeys } from "../sealing/master-keys.js";
import { UnknownSealingKey, ValueSeal } from "../sealing/value-seal.js";

/** A secret that all processes of an installation share. It is a row of the database, sealed under SECRETS_KEY. */
interface InstallationSecret {
  readonly table: string;
  readonly label: KeyLabel;
  /** The key of the row. */
  readonly name: string;
  /** The secret as the beginning of a sentence in the plural. */
  readonly subject: string;
}

/** From this secret the passwords of the database roles are derived. */
export const roleSecret: InstallationSecret = {
  table: "installation.role_secrets",
  label: "factory database role passwords",
  name: "database roles",
  subject: "The passwords of the database roles",
};

/** The key and the certificates of gRPC's authority. */
export const grpcAuthority: InstallationSecret = {
  table: "installation.grpc_authorities",
  label: "factory grpc authority",
  name: "grpc authority",
  subject: "The keys of the certificate authority",
};

export const installationSecrets = [roleSecret, grpcAuthority] as const;

/**
 * The statements for the tables that hold secrets and folder marks. `resealers` is the role that may read the secrets and
 * write them again under a new key, if there is one. No other role of the platform may use the schema.
 */
export function* installationTables(resealers: string | undefined): Generator<string> {
  yield "create schema if not exists installation";
  for (const { table } of installationSecrets) {
    yield `create table if not exists ${table} (name text primary key, sealed text not null)`;
    if (resealers !== undefined) yield `grant select, update on ${table} to ${identifier(resealers)}`;
  }
  yield `create table if not exists installation.shared_folders (
    setting text primary key,
    mark uuid not null,
    is_written boolean not null default false)`;
  if (resealers !== undefined) yield `grant usage on schema installation to ${identifier(resealers)}`;
}

export const installationSeal = ({ label }: InstallationSecret, masterKeys: MasterKeys): ValueSeal =>
  new ValueSeal(masterKeys.keyring(label));

/** The secret. Undefined where the database has none yet. Throws EnvironmentError under another SECRETS_KEY. */
export async function storedSecret(
  client: ClientBase,
  secret: InstallationSecret,
  masterKeys: MasterKeys,
): Promise<string | undefined> {
  const { table, name, subject } = secret;
  const { rows: present } = await client.query(`select to_regclass('${table}') is not null as present`);
  if (!present[0]?.present) return undefined;
  const { rows } = await client.query<{ sealed: string }>(`select sealed from ${table} where name = $1`, [name]);
  const sealed = rows[0]?.sealed;
  if (sealed === undefined) return undefined;
  try {
    return installationSeal(secret, masterKeys).open(sealed, name).text;
  } catch (error) {
    if (!(error instanceof UnknownSealingKey)) throw error;
    throw new EnvironmentError(
      `${subject} cannot be opened with the configured SECRETS_KEY. Start with the key that this database was used ` +
        "with, or name that key in SECRETS_KEY_PREVIOUS.",
      { cause: error },
    );
  }
}

/** Stores the secret in place of another one. The caller holds a lock, so that two processes agree on one. */
export async function storeSecret(
  client: ClientBase,
  secret: InstallationSecret,
  masterKeys: MasterKeys,
  text: string,
): Promise<void> {
  const { table, name } = secret;
  await client.query(
    `insert into ${table} (name, sealed) values ($1, $2) on conflict (name) do update set sealed = excluded.sealed`,
    [name, installationSeal(secret, masterKeys).seal(text, name)],
  );
}
