/** A backup or a restore cannot be done. The message is one line for the operator. */
export class BackupProblem extends Error {
  override readonly name = "BackupProblem";
}
