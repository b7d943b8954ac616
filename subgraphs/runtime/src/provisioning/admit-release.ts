import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { advisoryLocks } from "../db/advisory-locks.js";
import { takeTurn } from "../db/turn-lock.js";
import type { Logger } from "../telemetry/logger.js";
import { olderProcesses, refuseOtherAddress, type StartedProcess } from "./release-processes.js";
import { type ReleaseLevel, refuseNewerData } from "./schema-level.js";

const askAgainMs = 1000;
const reportEveryMs = 30_000;

/** A process that starts on the data, with what it is told while it waits. */
export interface StartingProcess extends StartedProcess {
  readonly logger: Logger;
}

/**
 * Takes the lock of provisioning. Throws when the data are too new for the release or a process with another address is
 * alive, and waits until no process is alive beside which it cannot run. Writes nothing. The session of the client holds the lock.
 */
export async function admitRelease(client: Client, release: ReleaseLevel, start?: StartingProcess): Promise<void> {
  const former = (start?.former ?? []).map(({ processId }) => processId);
  for (let reportAt = Date.now(); ; ) {
    await takeTurn(client, [advisoryLocks.provisioning], "the roles and schemas that another process creates");
    await refuseNewerData(client, release);
    const older = await olderProcesses(client, release.lowestCompanion, former);
    if (older.length === 0) {
      if (start) await refuseOtherAddress(client, start);
      return;
    }
    await client.query("select pg_advisory_unlock($1)", [advisoryLocks.provisioning]);
    if (Date.now() >= reportAt) {
      start?.logger.warn(
        { processes: older, ...release },
        "the start waits until these processes of earlier releases have ended, since this release cannot run beside them",
      );
      reportAt = Date.now() + reportEveryMs;
    }
    await pause(askAgainMs);
  }
}
