const secretVariables = [
  "SECRETS_KEY",
  "SECRETS_KEY_PREVIOUS",
  "DATABASE_URL",
  "PLATFORM_CLIENT_SECRET",
  "SMTP_URL",
] as const;

/**
 * Removes the secrets from the environment of this process after they were read, so that no child process and no
 * diagnostic report has them. `report.excludeEnv` of Node 24 leaves out the environment of the main thread only: the
 * part of each worker thread shows it. A report of an uncaught exception would have the message of the error.
 */
export function forgetEnvironmentSecrets(processEnv: NodeJS.ProcessEnv = process.env): void {
  for (const name of secretVariables) delete processEnv[name];
  process.report.excludeEnv = true;
  process.report.reportOnUncaughtException = false;
}
