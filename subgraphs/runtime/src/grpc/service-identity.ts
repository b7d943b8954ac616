import type { PeerCertificate } from "node:tls";

/** The services of the platform that hold a certificate of their own. */
export const serviceIdentities = ["catalog", "integration", "spine", "gateway"] as const;
export type ServiceIdentity = (typeof serviceIdentities)[number];

/** The one name in the certificate of a service; `.internal` is kept free of public names. */
export function serverName(identity: ServiceIdentity): string {
  return `${identity}.factory.internal`;
}

/** Who holds this verified certificate. It must carry that one name and no other. */
export function identityOf(certificate: PeerCertificate | undefined): ServiceIdentity | undefined {
  return serviceIdentities.find((identity) => certificate?.subjectaltname === `DNS:${serverName(identity)}`);
}
