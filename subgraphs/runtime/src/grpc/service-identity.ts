import type { PeerCertificate } from "node:tls";
import { subgraphNames } from "@factory/schema/subgraph-names";

/** The services of the platform that hold a certificate of their own. */
export const serviceIdentities = [...subgraphNames, "gateway"] as const;
export type ServiceIdentity = (typeof serviceIdentities)[number];

/** The name in the certificate of a service that says who holds it; `.internal` is kept free of public names. */
export function serverName(identity: ServiceIdentity): string {
  return `${identity}.factory.internal`;
}

export interface CertificateName {
  readonly type: "dns" | "ip";
  readonly value: string;
}

/** With the names of this machine, so that any client on it can check what it has connected to. */
export function namesOf(identity: ServiceIdentity): readonly CertificateName[] {
  return [
    { type: "dns", value: serverName(identity) },
    { type: "dns", value: "localhost" },
    { type: "ip", value: "127.0.0.1" },
    { type: "ip", value: "::1" },
  ];
}

/** The same names as `node:tls` writes them. */
export function certificateNames(identity: ServiceIdentity): string {
  return `DNS:${serverName(identity)}, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1`;
}

/** Who holds this verified certificate. It must carry the names of one service and no other. */
export function identityOf(certificate: PeerCertificate | undefined): ServiceIdentity | undefined {
  return serviceIdentities.find((identity) => certificate?.subjectaltname === certificateNames(identity));
}
