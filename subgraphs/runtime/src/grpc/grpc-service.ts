import type { CompatServiceDefinition, Server, ServiceImplementation } from "nice-grpc";
import type { CallFacts } from "./call-boundary.js";
import type { ServiceIdentity } from "./service-identity.js";

/** One service with those who may call it. */
export interface GrpcService {
  /** With its package, as it stands in the path of a call. */
  readonly name: string;
  readonly callers: readonly ServiceIdentity[];
  addTo(server: Server<CallFacts>): void;
}

export function grpcService<Definition extends CompatServiceDefinition & { readonly fullName: string }>(
  definition: Definition,
  implementation: ServiceImplementation<Definition, CallFacts>,
  callers: readonly ServiceIdentity[],
): GrpcService {
  return { name: definition.fullName, callers, addTo: (server) => server.add(definition, implementation) };
}
