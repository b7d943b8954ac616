/**
 * A child process's environment. Settings and secrets are sent as a message instead, since other processes can read an
 * environment.
 */
const neededNames = ["PATH", "TMPDIR", "NODE_EXTRA_CA_CERTS"];

export function childEnvironment(processEnv: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(processEnv).flatMap(([name, value]) => (neededNames.includes(name) && value ? [[name, value]] : [])),
  );
}
