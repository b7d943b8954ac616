import { createHash } from "node:crypto";
import type { RoleSettings } from "../provisioning/provision-database.js";
import { MasterKeys } from "../sealing/master-keys.js";

const secretsKey = "the secrets key of the databases of all suites";

/** The roles in the suites' databases. All are copies of one database, so they have the same roles and passwords. */
export const suiteRoles: RoleSettings = {
  masterKeys: new MasterKeys(createHash("sha256").update(secretsKey).digest()),
  rolePrefix: "suites",
};

/** The settings of a platform over such a database. */
export const suiteVariables = { SECRETS_KEY: secretsKey, DATABASE_ROLE_PREFIX: "suites" };
