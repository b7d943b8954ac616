import type { PeerCertificate } from "node:tls";
import { subgraphNames } from "@factory/schema/subgraph-names";

/** The metadata key for the caller's verified identity. A value from the caller itself is overwritten. */
export const callerKey = "x-factory-caller";

/** The platform's own services. */
export const platformIdentities = [...subgraphNames, "gateway"] as const;

/** Every service with a certificate. `product` stands for the SaaS products. */
export const serviceIdentities = [...platformIdentities, "product"] as const;
export type ServiceIdentity = (typeof serviceIdentities)[number];

/** The DNS name in a service certificate. The domain `.internal` is reserved for private use. */
export function serverName(identity: ServiceIdentity): string {
  return `${identity}.factory.internal`;
}

export interface CertificateName {
  readonly type: "dns" | "ip";
  readonly value: string;
}

/** All names in a certificate, including this machine's names, so that any local client can verify the server. */
export function namesOf(identity: ServiceIdentity): readonly CertificateName[] {
  return [
    { type: "dns", value: serverName(identity) },
    { type: "dns", value: "localhost" },
    { type: "ip", value: "127.0.0.1" },
    { type: "ip", value: "::1" },
  ];
}

/** The same names as `node:tls` formats them. */
export function certificateNames(identity: ServiceIdentity): string {
  return `DNS:${serverName(identity)}, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1`;
}

/** This machine's names as `node:tls` formats them. A certificate may contain them beside a service name. */
const localNames: readonly string[] = ["DNS:localhost", "IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1"];

/**
 * The service that a verified certificate names; undefined unless its subject alternative names are one service's name,
 * and no others except this machine's.
 */
export function identityOf(certificate: PeerCertificate | undefined): ServiceIdentity | undefined {
  const names = certificate?.subjectaltname?.split(", ").filter((name) => !localNames.includes(name));
  if (names?.length !== 1) return undefined;
  return serviceIdentities.find((identity) => names[0] === `DNS:${serverName(identity)}`);
}
