/**
 * Keeps secrets out of the diagnostic reports of Node, which an operator may turn on by NODE_OPTIONS: the environment has
 * SECRETS_KEY and the password of the database. A report of an uncaught exception would have the message of the error.
 */
export function keepSecretsOutOfReports(): void {
  const { report } = process;
  report.excludeEnv = true;
  report.reportOnUncaughtException = false;
}
