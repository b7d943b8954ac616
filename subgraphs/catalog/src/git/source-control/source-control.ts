import { DomainError } from "@factory/runtime/errors/domain-error";
import type { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import type { Trace } from "@factory/runtime/telemetry/trace";
import {
  type PullRequest,
  SourceControlDefinition,
} from "@factory/schema/proto/generated/factory/integration/v1/source_control";
import type { PullRequestState } from "@factory/schema/vocabularies/executions";
import type { RemoteCredential } from "../git/remote-credential.js";

/** A tenant's repository, reached through one of its connections, and what for. */
export interface RepositoryUse {
  readonly tenantId: string;
  readonly connectionId: string;
  /** `owner/name` */
  readonly repository: string;
  /** For the audit log, for example `executions/exe_…`. */
  readonly subject: string;
  readonly trace: Trace;
}

/** Where a repository is, and which provider it belongs to. */
export interface LocatedRepository {
  readonly gitUrl: string;
  readonly providerId: string;
}

/** The login for one push. Never store or log it. */
export interface PushAuthorization {
  readonly gitUrl: string;
  readonly credential: RemoteCredential | undefined;
}

/** The pull request that is to be opened. */
export interface WantedPullRequest {
  readonly branch: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  /** Only finds a pull request that exists. */
  readonly onlyFind: boolean;
}

/** A pull request as its vendor describes it. Times are ISO 8601. */
export interface PullRequestFacts {
  readonly number: number;
  readonly url: string;
  readonly state: PullRequestState;
  readonly openedAt: string | null;
  readonly mergedAt: string | null;
  readonly closedAt: string | null;
  /** When the vendor last changed it, if the vendor tells. */
  readonly changedAt: string | null;
}

export interface OpenedPullRequest {
  readonly pullRequest: PullRequestFacts;
  /** False when the vendor has refused the labels. */
  readonly labeled: boolean;
}

/** Tenants' source-control vendors, as the integration subgraph reaches them. */
export interface SourceControl {
  /** Throws CONNECTION_NOT_FOUND, INVALID_STATE, CAPABILITY_MISSING and TARGET_INVALID. */
  locate(use: RepositoryUse): Promise<LocatedRepository>;
  authorize(use: RepositoryUse): Promise<PushAuthorization>;
  /** Undefined when there is none and none was to be opened. */
  openPullRequest(use: RepositoryUse, wanted: WantedPullRequest): Promise<OpenedPullRequest | undefined>;
}

/** A vendor token may have to be renewed first. */
const authorizeTimeoutMs = 20_000;
/** The vendor is asked up to four times. */
const openTimeoutMs = 60_000;

/** Reaches source-control vendors over gRPC. */
export function sourceControlClient(channel: GrpcChannel): SourceControl {
  const client = channel.client(SourceControlDefinition);
  return {
    locate: ({ trace, ...request }) => client.locate(request, { trace }),
    async authorize({ trace, ...request }) {
      const { gitUrl, username, password } = await client.authorize(request, {
        trace,
        timeoutMs: authorizeTimeoutMs,
      });
      return { gitUrl, credential: username === "" ? undefined : { kind: "login", username, password } };
    },
    async openPullRequest({ trace, ...request }, wantedRequest) {
      const { pullRequest, labeled } = await client.openPullRequest(
        { ...request, ...wantedRequest, labels: [...wantedRequest.labels] },
        { trace, timeoutMs: openTimeoutMs },
      );
      return pullRequest && { pullRequest: factsOf(pullRequest), labeled };
    },
  };
}

function factsOf({ number, url, state, ...times }: PullRequest): PullRequestFacts {
  const time = (text: string) => (text === "" ? null : text);
  return {
    ...{ number, url, state: state as PullRequestState },
    openedAt: time(times.openedAt),
    mergedAt: time(times.mergedAt),
    closedAt: time(times.closedAt),
    changedAt: time(times.changedAt),
  };
}

const unavailable = () => {
  throw new DomainError("UNAVAILABLE", {
    detail: "This process cannot reach connections. Use a target without a connection.",
  });
};

/** The source control of a process that cannot reach the integration subgraph. */
export const noSourceControl: SourceControl = {
  locate: async () => unavailable(),
  authorize: async () => unavailable(),
  openPullRequest: async () => unavailable(),
};
