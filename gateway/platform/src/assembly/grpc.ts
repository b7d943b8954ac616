import { join } from "node:path";
import { type SecretResolver, secretResolver } from "@factory/catalog/secret-resolver";
import { type SourceControl, sourceControlClient } from "@factory/catalog/source-control";
import { type UsageMeter, usageMeter } from "@factory/catalog/usage-meter";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { authority, loadReflection, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import type { GrpcService } from "@factory/runtime/grpc/grpc-service";
import {
  loadCertificateAuthority,
  type ServiceCertificates,
  serviceCertificates,
} from "@factory/runtime/grpc/service-certificates";
import type { ServiceIdentity } from "@factory/runtime/grpc/service-identity";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { type SnapshotSource, snapshotSource } from "@factory/runtime/tenant-facts/snapshot-source";
import { type NotificationTargets, notificationTargets } from "@factory/spine/notification-targets";
import { storedAuthority } from "./stored-authority.js";

/** The place where all processes find their authority. */
export interface SharedPlace {
  readonly adminUrl: string;
  readonly masterKeys: MasterKeys;
}

export interface PlatformGrpcSettings {
  readonly certificates: ServiceCertificates;
  readonly services: readonly GrpcService[];
  readonly host: string;
  readonly port: number;
  readonly development: boolean;
  readonly refusals: RefusalSink;
  readonly logger: Logger;
}

export interface PlatformGrpc {
  readonly address: string;
  /**
   * The client with which the catalog requests secrets from integration. It authenticates with the catalog's
   * certificate.
   */
  readonly secrets: SecretResolver;
  /** The client with which the catalog reaches the tenants' source-control vendors at integration. */
  readonly sourceControl: SourceControl;
  /** The clients with which the subgraphs read facts about tenants from the spine, each with its own certificate. */
  readonly snapshots: Readonly<Record<"catalog" | "integration", SnapshotSource>>;
  /** The client with which the catalog counts the tenants' executions at the spine. */
  readonly usage: UsageMeter;
  /** The client with which the spine finds the connections and webhooks by which a tenant is notified. */
  readonly notificationTargets: NotificationTargets;
  close(): Promise<void>;
}

const folderIn = (dataDir: string) => join(dataDir, "tls");

/** Loads the gRPC modules while PostgreSQL starts. Writes no files. */
export async function loadGrpc(dataDir: string, development: boolean): Promise<void> {
  await Promise.all([loadCertificateAuthority(folderIn(dataDir)), development ? loadReflection() : undefined]);
}

/**
 * Prepares the services' certificates under the authority that all processes share. Only the process that holds the
 * DATA_DIR lock may call this.
 */
export async function platformCertificates(dataDir: string, { adminUrl, masterKeys }: SharedPlace) {
  const folder = folderIn(dataDir);
  return serviceCertificates(folder, new Date(), await storedAuthority(adminUrl, masterKeys, folder));
}

/**
 * Starts all subgraphs' gRPC services on one port. The platform calls them over the same mutual TLS as other clients.
 */
export async function startGrpc(settings: PlatformGrpcSettings): Promise<PlatformGrpc> {
  const { certificates, services, host, port, development, refusals, logger } = settings;
  const server = await startGrpcServer({
    host,
    port,
    services,
    certificate: certificates.gateway,
    reflection: development,
    refusals,
    logger: logger.child({ listener: "grpc" }),
  });
  const channelOf = (identity: ServiceIdentity) =>
    new GrpcChannel({
      address: authority(reachable(host), server.port),
      server: "gateway",
      certificate: certificates[identity],
    });
  const [catalog, integration, spine] = [channelOf("catalog"), channelOf("integration"), channelOf("spine")];
  return {
    address: authority(host, server.port),
    secrets: secretResolver(catalog),
    sourceControl: sourceControlClient(catalog),
    snapshots: { catalog: snapshotSource(catalog), integration: snapshotSource(integration) },
    usage: usageMeter(catalog),
    notificationTargets: notificationTargets(spine),
    async close() {
      for (const channel of [catalog, integration, spine]) channel.close();
      await server.stop();
    },
  };
}

/** Returns an address for clients. A server can listen on a wildcard address, but a client cannot connect to it. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
