import type { IncomingMessage } from "node:http";

/** oidc-provider makes addresses and cookies from what these headers say; the issuer alone decides. */
export function setIssuerHeaders({ headers }: IncomingMessage, issuer: string): void {
  const { host, protocol } = new URL(issuer);
  headers["host"] = host;
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
  delete headers["x-forwarded-host"];
  delete headers["x-forwarded-for"];
}
