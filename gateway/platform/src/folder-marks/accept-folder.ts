import { runningProcesses } from "@factory/runtime/provisioning/release-processes";
import type { ClientBase } from "pg";
import { InstallationProblem } from "../installation/installation-problem.js";
import type { SharedFolder } from "../settings/platform-folders.js";
import { readMark, writeMark } from "./folder-mark.js";
import { markIsWritten, renewMark } from "./folder-mark-statement.js";
import { readStoredMarks } from "./stored-marks.js";

/** Throws InstallationProblem for a database over which no platform with this release was started. */
export async function requireInstallation(admin: ClientBase): Promise<void> {
  if ((await readStoredMarks(admin)).size === 0)
    throw new InstallationProblem("The database knows no folder yet: start the platform over it once.");
}

/** Whether the folder has an installation's mark over another database. */
export async function belongsToAnother(admin: ClientBase, { setting, path }: SharedFolder): Promise<boolean> {
  const mark = await readMark(path);
  return mark !== undefined && mark !== (await readStoredMarks(admin)).get(setting)?.mark;
}

/**
 * Gives the folder a new mark, whatever is in it. The former folder is then a foreign one. Throws InstallationProblem
 * while a platform process runs.
 */
export async function acceptFolder(admin: ClientBase, { setting, path }: SharedFolder): Promise<void> {
  if ((await runningProcesses(admin)) > 0)
    throw new InstallationProblem(
      "A process of the platform runs over this database. Stop all of them; one that was killed counts for 30 s.",
    );
  await admin.query(renewMark, [setting]);
  const storedMark = (await readStoredMarks(admin)).get(setting);
  if (storedMark === undefined) throw new InstallationProblem("The database has lost the mark of the folder.");
  await writeMark(path, storedMark.mark);
  await admin.query(markIsWritten, [setting]);
}
