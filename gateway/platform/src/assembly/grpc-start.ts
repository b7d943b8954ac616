import type { GrpcService } from "@factory/runtime/grpc/grpc-service";
import type { ServiceCertificates } from "@factory/runtime/grpc/service-certificates";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Start } from "./foundation.js";
import type { PlatformGrpc, SharedPlace } from "./grpc.js";

const grpcModule = () => import("./grpc.js");

/**
 * Loads the gRPC modules while PostgreSQL starts. Creates the services' certificates when the database is provisioned:
 * it has the authority, and this process then holds the DATA_DIR lock. A failure is reported when the result is
 * awaited.
 */
export function prepareCertificates(
  dataDir: string,
  development: boolean,
  sharedPlace: Promise<SharedPlace>,
): Promise<ServiceCertificates> {
  const loadedModules = reportedLater(grpcModule().then((grpc) => grpc.loadGrpc(dataDir, development)));
  return reportedLater(
    sharedPlace.then(async (place) => {
      await loadedModules;
      return (await grpcModule()).platformCertificates(dataDir, place);
    }),
  );
}

/** Serves all subgraphs' gRPC services on one port, as soon as they have started. */
export function startPlatformGrpc(
  { environment, logger }: Start,
  refusals: RefusalSink,
  certificates: Promise<ServiceCertificates>,
  subgraphs: Promise<readonly { readonly grpcServices: readonly GrpcService[] }[]>,
): Promise<PlatformGrpc> {
  return reportedLater(
    subgraphs.then(async (startedSubgraphs) =>
      (await grpcModule()).startGrpc({
        certificates: await certificates,
        services: startedSubgraphs.flatMap(({ grpcServices }) => grpcServices),
        host: environment.host,
        port: environment.grpcPort,
        development: environment.development,
        refusals,
        logger,
      }),
    ),
  );
}

/** Prevents a rejection from ending the process before the promise is awaited. */
function reportedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
