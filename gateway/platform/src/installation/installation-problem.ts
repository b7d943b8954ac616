/** The installation does not fit the work of a command. The message is one line for the operator. */
export class InstallationProblem extends Error {
  override readonly name = "InstallationProblem";
}
