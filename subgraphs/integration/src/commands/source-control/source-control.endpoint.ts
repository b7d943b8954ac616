import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { SourceControlDefinition } from "@factory/schema/proto/generated/factory/integration/v1/source_control";
import type { RepositoryUse, SourceControlService } from "./source-control.service.js";

/** The gRPC service integration.v1.SourceControl. Only the catalog may call it, because only the catalog pushes. */
export function sourceControlEndpoint(sourceControl: SourceControlService): GrpcService {
  return grpcService(
    SourceControlDefinition,
    {
      locate: (request) => sourceControl.locate(request),
      async authorize(request, call) {
        const { gitUrl, login } = await sourceControl.authorize(request, useOf(request, call));
        return { gitUrl, username: login?.username ?? "", password: login?.password ?? "" };
      },
      async openPullRequest(request, call) {
        const result = await sourceControl.openPullRequest(request, request, useOf(request, call));
        if (!result) return { pullRequest: undefined, labeled: true };
        const { number, url, state, openedAt, mergedAt, closedAt, changedAt } = result.pullRequest;
        return {
          pullRequest: {
            ...{ number, url, state },
            openedAt: openedAt ?? "",
            mergedAt: mergedAt ?? "",
            closedAt: closedAt ?? "",
            changedAt: changedAt ?? "",
          },
          labeled: result.labeled,
        };
      },
    },
    ["catalog"],
  );
}

const useOf = ({ subject }: { subject: string }, { caller, trace, signal }: ServiceCallContext): RepositoryUse => ({
  caller,
  subject,
  trace,
  signal,
});
