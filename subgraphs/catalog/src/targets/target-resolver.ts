import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { SourcePolicy } from "../git/remote-policy.js";
import type { RepositoryStore } from "../repositories/repository-store.js";
import { openTarget, type Target } from "./push-scaffold.js";
import { branchProblem, parseTargetRepository } from "./target-repository.js";

export interface AskedTarget {
  repository: string;
  branch?: string | null;
  onConflict?: string | null;
}

export interface AcceptedTarget {
  /** Where the result can be cloned from. */
  cloneUrl: string;
  branch: string;
  onConflict: "fail" | "overwrite";
}

/** Execution targets: a git URL, or `owner/name` in the platform's own store. */
export class TargetResolver {
  readonly #store: RepositoryStore;
  readonly #policy: SourcePolicy;
  readonly #publicUrl: string;

  constructor(options: { store: RepositoryStore; policy: SourcePolicy; publicUrl: string }) {
    this.#store = options.store;
    this.#policy = { ...options.policy };
    this.#publicUrl = options.publicUrl;
  }

  accept(context: RequestContext, asked: AskedTarget): AcceptedTarget {
    const repository = parseTargetRepository(asked.repository, this.#policy);
    if ("problem" in repository) throw refusal("/target/repository", repository.problem);
    const branch = asked.branch ?? "main";
    const problem = branchProblem(branch);
    if (problem !== undefined) throw refusal("/target/branch", problem);
    const onConflict = asked.onConflict ?? "fail";
    if (onConflict !== "fail" && onConflict !== "overwrite")
      throw refusal("/target/onConflict", "it is neither fail nor overwrite");
    const slug = principalOf(context).tenantSlug;
    const cloneUrl =
      repository.kind === "url"
        ? repository.url
        : `${this.#publicUrl}/git/${slug}/${repository.owner}/${repository.name}.git`;
    return { cloneUrl, branch, onConflict };
  }

  /** Reads the target branch; the caller closes it. */
  async open(
    execution: { tenantId: string; repository: string; branch: string },
    signal: AbortSignal,
  ): Promise<Target> {
    const repository = parseTargetRepository(execution.repository, this.#policy);
    if ("problem" in repository) throw new DomainError("TARGET_FORBIDDEN", { detail: repository.problem });
    const { branch } = execution;
    if (repository.kind === "url") return openTarget({ url: repository.url, branch }, this.#policy, { signal });
    const { url, policy } = await this.#store.location(execution.tenantId, repository.owner, repository.name, branch);
    return openTarget({ url, branch }, policy, { signal });
  }
}

function refusal(pointer: string, problem: string): DomainError {
  const detail = `The target is refused: ${problem}.`;
  return new DomainError("TARGET_INVALID", { detail, errors: [{ pointer, code: "FORMAT", detail }] });
}
