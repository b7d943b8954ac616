const defaultPorts: Readonly<Record<string, string>> = { "https:": "443", "ssh:": "22" };

/**
 * How a list of hosts may name the place of a URL: `git.example`, the default port of a safe protocol, or
 * `git.example:8443`. Plain http is named by its port alone, so that nobody sends there what was meant for https.
 */
export function credentialHosts(url: URL): readonly string[] {
  const host = url.hostname.toLowerCase();
  const safePort = defaultPorts[url.protocol];
  const port = url.port === "" ? (safePort ?? "80") : url.port;
  return port === safePort ? [host, `${host}:${port}`] : [`${host}:${port}`];
}
