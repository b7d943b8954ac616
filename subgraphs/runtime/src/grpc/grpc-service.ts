import type { CompatServiceDefinition, Server, ServiceImplementation } from "nice-grpc";
import type { CallFacts, ServiceCallContext } from "./call-boundary.js";
import type { DirectMethod, DirectRoute } from "./direct-call.js";
import type { ServiceIdentity } from "./service-identity.js";
import { withReadableRequests } from "./unreadable-request.js";

/** A gRPC service with the services that may call it. */
export interface GrpcService {
  /** The full name with its package, as in a call's path. */
  readonly name: string;
  readonly callers: readonly ServiceIdentity[];
  /** Methods that are answered without the middleware, for methods that are called very often. */
  readonly direct: readonly DirectRoute[];
  addTo(server: Server<CallFacts>): void;
}

type Definition = CompatServiceDefinition & {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, { readonly name: string }>>;
};

/** The implementation's unary methods, by name. Their context has only a part of nice-grpc's context. */
type DirectMethods<D extends Definition> = {
  readonly [M in keyof D["methods"]]?: (request: never, call: ServiceCallContext) => Promise<unknown>;
};

/** Makes a service from its definition and implementation. The direct methods are also in the implementation. */
export function grpcService<D extends Definition>(
  definition: D,
  implementation: ServiceImplementation<D, CallFacts>,
  callers: readonly ServiceIdentity[],
  direct: DirectMethods<D> = {},
): GrpcService {
  const routes = Object.entries(direct).map(([key, method]) => ({
    path: `/${definition.fullName}/${definition.methods[key]?.name}`,
    method: method as DirectMethod,
  }));
  return {
    name: definition.fullName,
    callers,
    direct: routes,
    addTo: (server) => server.add(withReadableRequests(definition), implementation),
  };
}
