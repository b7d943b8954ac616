/** Whether the URL leads to this platform. `publicUrl` is its address. */
export function isOwnEndpoint(endpointUrl: string, publicUrl: string): boolean {
  return URL.canParse(endpointUrl) && originOf(endpointUrl) === originOf(publicUrl);
}

/** A host name with a dot at its end is the same host. */
function originOf(text: string): string {
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.$/, "");
  return url.origin;
}
