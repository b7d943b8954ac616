/** What a child process needs to run at all; settings and secrets reach it by message. */
const needed = ["PATH", "TMPDIR", "NODE_EXTRA_CA_CERTS"];

export function childEnvironment(processEnv: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(processEnv).flatMap(([name, value]) => (needed.includes(name) && value ? [[name, value]] : [])),
  );
}
