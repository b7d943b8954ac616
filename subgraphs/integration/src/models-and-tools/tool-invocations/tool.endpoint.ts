import type { Verifier } from "@factory/runtime/auth/authenticate";
import { authenticatedCall } from "@factory/runtime/grpc/authenticated-call";
import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { serviceIdentities } from "@factory/runtime/grpc/service-identity";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { ToolInvocationDefinition } from "@factory/schema/proto/generated/factory/tool/v1/tools";
import type { AttendingCall } from "./attended-runs.js";
import type { InvokeTool } from "./invoke-tool.js";
import type { ListTools } from "./list-tools.js";

interface Services {
  readonly invocations: InvokeTool;
  readonly lists: ListTools;
  readonly verifier: Verifier;
}

/** The gRPC service svc.tool.v1.ToolInvocation. Every service with a platform certificate may call it. */
export function toolEndpoint({ invocations, lists, verifier }: Services): GrpcService {
  const withAuthorization = <T>(
    call: ServiceCallContext,
    work: (context: RequestContext, attending: AttendingCall) => Promise<T>,
  ) => {
    let run = "";
    const onRun = (runId: string) => {
      run = runId;
      call.trailer.set("run-id", runId);
    };
    return authenticatedCall(call, verifier, ["integration.tools.invoke"], async (context) => ({
      ...(await work(context, { signal: call.signal, onRun })),
      runId: run,
    }));
  };
  return grpcService(
    ToolInvocationDefinition,
    {
      listTools: (request, call) =>
        withAuthorization(call, (context, attending) => lists.list(context, request, attending)),
      invokeTool: (request, call) =>
        withAuthorization(call, async (context, attending) => {
          const { findings, ...result } = await invocations.invoke(context, request, attending);
          return { ...result, findings: [...findings] };
        }),
    },
    serviceIdentities,
  );
}
