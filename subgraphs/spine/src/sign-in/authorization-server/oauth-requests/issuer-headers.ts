import type { IncomingMessage } from "node:http";

/** Sets the headers from which oidc-provider builds addresses and cookies to what the issuer says, whatever was sent. */
export function setIssuerHeaders({ headers }: IncomingMessage, issuer: string): void {
  const { host, protocol } = new URL(issuer);
  headers["host"] = host;
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-for"];
}
