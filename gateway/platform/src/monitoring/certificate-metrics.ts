import { X509Certificate } from "node:crypto";
import type { ServiceCertificates } from "@factory/runtime/grpc/service-certificates";
import { Gauge, type Registry } from "prom-client";

/** Registers the gauge for gRPC certificates. A restart renews a certificate when half its lifetime is over. */
export function certificateMetrics(registry: Registry, certificates: ServiceCertificates): void {
  const gauge = new Gauge({
    name: "certificate_expires_timestamp_seconds",
    help: "Time at which a gRPC certificate expires (Unix time).",
    labelNames: ["certificate"],
    registers: [registry],
  });
  const note = (certificate: string, pem: Buffer) =>
    gauge.set({ certificate }, new X509Certificate(pem).validToDate.getTime() / 1000);
  for (const [identity, { certificate, authority }] of Object.entries(certificates)) {
    note(identity, certificate);
    note("authority", authority);
  }
}
