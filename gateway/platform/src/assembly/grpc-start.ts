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
  provisioned: Promise<SharedPlace>,
): Promise<ServiceCertificates> {
  const loaded = reportedLater(grpcModule().then((grpc) => grpc.loadGrpc(dataDir, development)));
  return reportedLater(
    provisioned.then(async (place) => {
      await loaded;
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
    subgraphs.then(async (started) =>
      (await grpcModule()).startGrpc({
        certificates: await certificates,
        services: started.flatMap(({ grpcServices }) => grpcServices),
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
