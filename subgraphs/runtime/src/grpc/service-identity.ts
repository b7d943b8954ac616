import type { PeerCertificate } from "node:tls";
import { subgraphNames } from "@factory/schema/subgraph-names";

/** The metadata key with the verified identity of the caller. A value from the caller itself is overwritten. */
export const callerKey = "x-factory-caller";

/** The services of the platform itself. */
export const platformIdentities = [...subgraphNames, "gateway"] as const;

/** Every service with a certificate. `product` stands for the SaaS products. */
export const serviceIdentities = [...platformIdentities, "product"] as const;
export type ServiceIdentity = (typeof serviceIdentities)[number];

/** The DNS name in the certificate of a service. The domain `.internal` is reserved for private use. */
export function serverName(identity: ServiceIdentity): string {
  return `${identity}.factory.internal`;
}

export interface CertificateName {
  readonly type: "dns" | "ip";
  readonly value: string;
}

/** All names of a certificate, including those of this machine, so that any local client can verify the server. */
export function namesOf(identity: ServiceIdentity): readonly CertificateName[] {
  return [
    { type: "dns", value: serverName(identity) },
    { type: "dns", value: "localhost" },
    { type: "ip", value: "127.0.0.1" },
    { type: "ip", value: "::1" },
  ];
}

/** The same names in the format of `node:tls`. */
export function certificateNames(identity: ServiceIdentity): string {
  return `DNS:${serverName(identity)}, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1`;
}

/** The names of this machine in the format of `node:tls`. A certificate may contain them beside the name of a service. */
const localNames: readonly string[] = ["DNS:localhost", "IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1"];

/**
 * The service of a verified certificate; undefined unless its subject alternative names are the name of one service, and
 * no others except those of this machine.
 */
export function identityOf(certificate: PeerCertificate | undefined): ServiceIdentity | undefined {
  const names = certificate?.subjectaltname?.split(", ").filter((name) => !localNames.includes(name));
  if (names?.length !== 1) return undefined;
  return serviceIdentities.find((identity) => names[0] === `DNS:${serverName(identity)}`);
}
