/** The installation does not fit a command's work. The message is one line for the operator. */
export class InstallationProblem extends Error {
  override readonly name = "InstallationProblem";
}
