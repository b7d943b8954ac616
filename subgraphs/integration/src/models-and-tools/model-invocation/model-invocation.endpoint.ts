import type { Verifier } from "@factory/runtime/auth/authenticate";
import { authenticatedCall } from "@factory/runtime/grpc/authenticated-call";
import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { serviceIdentities } from "@factory/runtime/grpc/service-identity";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import {
  type CompleteRequest,
  type EmbedRequest,
  ModelInvocationDefinition,
} from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { Invoker } from "./model-calls.js";
import type { ModelInvocationService } from "./model-invocation.service.js";

/**
 * The gRPC service svc.model.v1.ModelInvocation. Every service with a platform certificate may call it, with the token
 * for the tenant for which it acts.
 */
export function modelInvocationEndpoint(models: ModelInvocationService, verifier: Verifier): GrpcService {
  const withAuthorization = <T>(call: ServiceCallContext, work: (context: RequestContext) => Promise<T>) =>
    authenticatedCall(call, verifier, ["integration.models.invoke"], work);
  const direct = {
    complete: (request: CompleteRequest, call: ServiceCallContext) =>
      withAuthorization(call, (context) => models.complete(context, request, invokerOf(call))),
    embed: (request: EmbedRequest, call: ServiceCallContext) =>
      withAuthorization(call, (context) => models.embed(context, request, invokerOf(call))),
  };
  return grpcService(
    ModelInvocationDefinition,
    {
      ...direct,
      async *stream(request, call) {
        const context = await withAuthorization(call, async (callerContext) => callerContext);
        yield* models.stream(context, request, invokerOf(call));
      },
    },
    serviceIdentities,
    direct,
  );
}

const invokerOf = ({ signal, trailer }: ServiceCallContext): Invoker => ({
  signal,
  onRun: (runId) => void trailer.set("run-id", runId),
});
