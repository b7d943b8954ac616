const defaultPorts: Readonly<Record<string, string>> = { "https:": "443", "ssh:": "22" };

/**
 * The names under which a host list may contain a URL's host: `git.example` for the default port in https and ssh, or
 * `git.example:8443`. Plain http always needs its port, so that a secret for https is never sent over http.
 */
export function credentialHosts(url: URL): readonly string[] {
  const host = url.hostname.toLowerCase();
  const safePort = defaultPorts[url.protocol];
  const port = url.port === "" ? (safePort ?? "80") : url.port;
  return port === safePort ? [host, `${host}:${port}`] : [`${host}:${port}`];
}
