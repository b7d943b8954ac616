import type { CompatServiceDefinition, Server, ServiceImplementation } from "nice-grpc";
import type { CallFacts } from "./call-boundary.js";
import type { ServiceIdentity } from "./service-identity.js";

/** A gRPC service with the services that may call it. */
export interface GrpcService {
  /** The full name with its package, as in the path of a call. */
  readonly name: string;
  readonly callers: readonly ServiceIdentity[];
  addTo(server: Server<CallFacts>): void;
}

/** Makes a service from its definition and implementation. */
export function grpcService<Definition extends CompatServiceDefinition & { readonly fullName: string }>(
  definition: Definition,
  implementation: ServiceImplementation<Definition, CallFacts>,
  callers: readonly ServiceIdentity[],
): GrpcService {
  return { name: definition.fullName, callers, addTo: (server) => server.add(definition, implementation) };
}
