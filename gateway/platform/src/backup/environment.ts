import { readFileSync } from "node:fs";
import { EnvironmentError, readEnvironment } from "@factory/runtime/environment/read-environment";
import { z } from "zod";
import {
  type InstallationEnvironment,
  installationOf,
  installationVariables,
} from "../installation/installation-environment.js";
import { keys } from "../settings/environment-values.js";

const shortestPassphrase = 16;
const secretsKey = z.string().min(32, "must have at least 32 characters");

const variables = installationVariables.extend({
  DATABASE_ROLE_PREFIX: z.string().optional(),
  SECRETS_KEY: secretsKey.optional(),
  SECRETS_KEY_PREVIOUS: keys,
  BACKUP_PASSPHRASE: z.string().optional(),
  BACKUP_PASSPHRASE_FILE: z.string().optional(),
});

/** The settings of `npm run backup` and `npm run restore`. The platform's settings have the same names. */
export interface BackupEnvironment extends InstallationEnvironment {
  readonly databaseRolePrefix: string | undefined;
  readonly secretsKey: string | undefined;
  readonly previousSecretsKeys: readonly string[];
  readonly passphrase: string;
}

/** Reads a backup's settings and its passphrase. Throws EnvironmentError. */
export function backupEnvironment(processEnv: NodeJS.ProcessEnv = process.env): BackupEnvironment {
  const values = readEnvironment(variables, processEnv);
  return {
    ...installationOf(values),
    databaseRolePrefix: values.DATABASE_ROLE_PREFIX,
    secretsKey: values.SECRETS_KEY,
    previousSecretsKeys: values.SECRETS_KEY_PREVIOUS,
    passphrase: readPassphrase(values),
  };
}

function readPassphrase(values: z.infer<typeof variables>): string {
  const { BACKUP_PASSPHRASE: direct, BACKUP_PASSPHRASE_FILE: file } = values;
  if ((direct === undefined) === (file === undefined))
    throw new EnvironmentError("Set BACKUP_PASSPHRASE_FILE, a file with the passphrase, or BACKUP_PASSPHRASE.");
  const passphrase = direct ?? passphraseIn(file ?? "");
  if (passphrase.length < shortestPassphrase)
    throw new EnvironmentError(`The passphrase must have at least ${shortestPassphrase} characters.`);
  return passphrase;
}

function passphraseIn(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new EnvironmentError(`BACKUP_PASSPHRASE_FILE cannot be read: ${(error as Error).message}`);
  }
}
