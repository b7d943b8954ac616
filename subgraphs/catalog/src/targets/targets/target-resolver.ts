import { DomainError } from "@factory/runtime/errors/domain-error";
import { asciiUrl } from "@factory/runtime/internet-names/ascii-url";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";
import { unsafePath } from "@factory/template-engine/path-safety";
import type { SourcePolicy } from "../../git/git/remote-policy.js";
import type { RepositoryStore } from "../../git/repositories/port/repository-store.js";
import {
  type ConnectionTarget,
  checkPullRequest,
  locateTarget,
  type RequestedPullRequest,
} from "../../git/source-control/connection-target.js";
import { pullRequestBranch } from "../../git/source-control/pull-request-branch.js";
import type { SourceControl } from "../../git/source-control/source-control.js";
import { vendorFailure } from "../../git/source-control/vendor-failure.js";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import type { RemoteCredentials } from "../../sources/remote-credentials/remote-credentials.js";
import type { OnConflict } from "./on-conflict.js";
import { openTarget, type Target } from "./push-scaffold.js";
import { withRepositoryBase } from "./repository-shorthand.js";
import { branchProblem, parseTargetRepository } from "./target-repository.js";

/** The target as a request names it. */
interface RequestedTarget {
  repository: string;
  branch?: string | null;
  directory?: string | null;
  nameDirectory?: boolean | null;
  onConflict?: OnConflict | null;
  credentialRef?: string | null;
  connectionId?: string | null;
  pullRequest?: RequestedPullRequest | null;
}

/** A request's target after its checks, with its defaults filled in. */
export interface AcceptedTarget {
  /** A URL, or `owner/name` in the platform's git store. */
  repository: string;
  /** The URL from which the result can be cloned. */
  cloneUrl: string;
  branch: string;
  /** The folder for everything that is produced; "" is the repository's root. */
  directory: string;
  nameDirectory: boolean;
  onConflict: OnConflict;
  credentialRef: string | null;
  /** The connection through which a pull request into the branch is opened. */
  connection: ConnectionTarget | null;
}

interface ExecutionTarget {
  readonly tenantId: string;
  readonly executionId: string;
  readonly repository: string;
  readonly branch: string;
  readonly credentialRef: string | null;
  readonly connectionId: string | null;
  readonly traceparent: string;
}

const manageCredentials = "integration.credentials.write" satisfies Scope;

/** Checks and opens execution targets: a git URL, or `owner/name` in the platform's own git store. */
export class TargetResolver {
  readonly #store: RepositoryStore;
  readonly #policy: SourcePolicy;
  readonly #publicUrl: string;
  readonly #credentials: RemoteCredentials;
  readonly #sourceControl: SourceControl;

  constructor(options: {
    store: RepositoryStore;
    policy: SourcePolicy;
    publicUrl: string;
    credentials: RemoteCredentials;
    sourceControl: SourceControl;
  }) {
    this.#sourceControl = options.sourceControl;
    this.#credentials = options.credentials;
    this.#store = options.store;
    this.#policy = { ...options.policy };
    this.#publicUrl = options.publicUrl;
  }

  /**
   * `repositoryBase` is a tenant setting. Throws TARGET_INVALID, and INSUFFICIENT_SCOPE for a credential that the
   * caller may not send to this host.
   */
  async accept(
    context: RequestContext,
    requestedTarget: RequestedTarget,
    repositoryBase: string | null = null,
  ): Promise<AcceptedTarget> {
    const { text, repository, connection } = await this.#locate(context, requestedTarget, repositoryBase);
    const branch = requestedTarget.branch ?? "main";
    const problem = branchProblem(branch);
    if (problem !== undefined) throw refusal("/target/branch", problem);
    const directory = folderIn(requestedTarget.directory ?? "");
    const onConflict = requestedTarget.onConflict ?? "fail";
    const credentialRef = requestedTarget.credentialRef ?? null;
    if (credentialRef !== null && repository.kind === "shorthand")
      throw refusal(
        "/target/credentialRef",
        "the platform's own git store takes no credential. Leave credentialRef out",
      );
    if (credentialRef !== null && repository.kind === "url")
      await this.#requireCredentialAccess(context, credentialRef, repository.url);
    const slug = principalOf(context).tenantSlug;
    const cloneUrl =
      repository.kind === "url"
        ? repository.url
        : `${this.#publicUrl}/git/${slug}/${repository.owner}/${repository.name}.git`;
    const nameDirectory = requestedTarget.nameDirectory ?? false;
    return { repository: text, cloneUrl, branch, directory, nameDirectory, onConflict, credentialRef, connection };
  }

  async #locate(context: RequestContext, requestedTarget: RequestedTarget, repositoryBase: string | null) {
    const { connectionId, pullRequest } = requestedTarget;
    checkPullRequest(pullRequest, connectionId);
    if (connectionId == null) {
      const repositoryText = withRepositoryBase(requestedTarget.repository, repositoryBase);
      const text = asciiUrl(repositoryText) ?? repositoryText;
      return { text, repository: this.#readable(text), connection: null };
    }
    const { gitUrl, providerId } = await locateTarget(this.#sourceControl, context, {
      ...requestedTarget,
      connectionId,
    });
    return {
      text: requestedTarget.repository,
      repository: this.#readable(gitUrl),
      connection: { connectionId, providerId },
    };
  }

  #readable(text: string) {
    const repository = parseTargetRepository(text, this.#policy);
    if ("problem" in repository) throw refusal("/target/repository", repository.problem);
    return repository;
  }

  /**
   * A caller who chooses the host that receives a secret can read the secret. This needs the scope to write
   * credentials.
   */
  async #requireCredentialAccess(context: RequestContext, credentialRef: string, url: string): Promise<void> {
    if (principalOf(context).scopes.has(manageCredentials)) return;
    const { tenantId } = tenantOf(context);
    const use = { purpose: "scaffold-target", subject: "executions/asked", trace: context.trace } as const;
    const binding = await this.#credentials.hostBinding({ tenantId, credentialRef, url, ...use });
    if (binding === "otherHosts")
      throw refusal(
        "/target/credentialRef",
        "the credential is for other hosts. Use one whose hosts include the host of the repository",
      );
    if (binding === "noHosts")
      throw new DomainError("INSUFFICIENT_SCOPE", {
        detail: `The credential ${credentialRef} has no list of hosts. Add hosts to it, or use a token with the scope ${manageCredentials}.`,
        requiredScopes: [manageCredentials],
      });
  }

  /** Opens an execution's target. The caller closes it. */
  async open(execution: ExecutionTarget, signal: AbortSignal): Promise<Target> {
    if (execution.connectionId !== null) return this.#openConnection(execution, execution.connectionId, signal);
    const repository = parseTargetRepository(execution.repository, this.#policy);
    if ("problem" in repository) throw new DomainError("TARGET_FORBIDDEN", { detail: repository.problem });
    const { branch, tenantId, executionId, credentialRef } = execution;
    if (repository.kind === "shorthand") {
      const { owner, name } = repository;
      const storedRepository = await this.#store.open({ tenantId, owner, name }, branch);
      return openTarget({ url: storedRepository.url, branch, stored: storedRepository }, storedRepository.policy, {
        signal,
      });
    }
    const { url } = repository;
    if (credentialRef === null) return openTarget({ url, branch }, this.#policy, { signal });
    const trace = continueTrace(execution.traceparent);
    const use = { purpose: "scaffold-target", subject: `executions/${executionId}`, trace, signal } as const;
    const credential = await this.#credentials.resolve({ tenantId, credentialRef, url, ...use });
    return openTarget({ url, branch, credential }, this.#policy, { signal });
  }

  /** Waits for the embedded store's folder, if the target is in it. Throws as `PlatformFolder.usable`. */
  async usable({ connectionId, repository }: ExecutionTarget, signal: AbortSignal): Promise<void> {
    if (connectionId !== null) return;
    const parsedRepository = parseTargetRepository(repository, this.#policy);
    if ("kind" in parsedRepository && parsedRepository.kind === "shorthand") await this.#store.disk.usable(signal);
  }

  /** Opens the execution's own branch, which starts from the branch that its result is for. */
  async #openConnection(execution: ExecutionTarget, connectionId: string, signal: AbortSignal): Promise<Target> {
    const { tenantId, executionId, repository, branch: baseBranch, traceparent } = execution;
    const use = { tenantId, connectionId, repository, subject: `executions/${executionId}` };
    const authorization = this.#sourceControl.authorize({ ...use, trace: continueTrace(traceparent) });
    const { gitUrl, credential } = await authorization.catch((error: unknown) => {
      throw vendorFailure(error);
    });
    // The provider may have got another base URL since the request.
    const remote = parseTargetRepository(gitUrl, this.#policy);
    if ("problem" in remote || remote.kind !== "url")
      throw new DomainError("TARGET_FORBIDDEN", {
        detail: `The target is not allowed: ${"problem" in remote ? remote.problem : "it is not a URL"}.`,
      });
    const place = { url: remote.url, branch: pullRequestBranch(executionId), baseBranch };
    return openTarget({ ...place, ...(credential && { credential }) }, this.#policy, { signal });
  }
}

/** Normalizes a folder: `.` and slashes at both ends are allowed. */
function folderIn(requestedFolder: string): string {
  const folder = requestedFolder
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  const problem = requestedFolder.startsWith("/") ? "is absolute" : folder === "" ? undefined : unsafePath(folder);
  if (problem !== undefined) throw refusal("/target/directory", `the folder ${problem}`);
  return folder;
}

function refusal(pointer: string, problem: string): DomainError {
  const detail = `The target is refused: ${problem}.`;
  return inputProblem("TARGET_INVALID", { pointer, code: "FORMAT", detail });
}
