import type { ClientBase } from "pg";
import type { PlatformEnvironment } from "../settings/environment.js";

/**
 * Finds a reason for which the platform cannot run, before anything is written. The result is one line: the cause, and
 * the way out. Undefined when all is well.
 */
export type MachineCheck = (environment: PlatformEnvironment) => Promise<string | undefined>;

/** As a MachineCheck, with the administrator's open connection. */
export type DatabaseCheck = (environment: PlatformEnvironment, admin: ClientBase) => Promise<string | undefined>;
