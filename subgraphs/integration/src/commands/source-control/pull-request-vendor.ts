import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { VendorResponse, VendorTarget } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import type { SourceControlForm } from "../../providers/provider-drivers/source-control-form.js";
import { renderedTemplate } from "../vendor-commands/rendered-template.js";
import { readPullRequest, type VendorPullRequest } from "./pull-request.js";
import type { RepositoryPlace } from "./repository-place.js";

/** A pull request's content. */
export interface WantedPullRequest {
  readonly branch: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The values for the path's placeholders. */
  readonly values: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The list in an answer is read no further. */
const maxListed = 100;
/** Statuses with which a vendor refuses a branch's second pull request, or one that cannot be. */
const refusals = [400, 409, 422];

/** Asks one connection's vendor about pull requests in one repository. */
export class PullRequestVendor {
  readonly #calls: VendorCalls;
  readonly #target: VendorTarget;
  readonly #form: SourceControlForm;
  readonly #place: RepositoryPlace;

  constructor(calls: VendorCalls, target: VendorTarget, form: SourceControlForm, place: RepositoryPlace) {
    this.#calls = calls;
    this.#target = target;
    this.#form = form;
    this.#place = place;
  }

  /** The branch's pull request: an open one first, then a merged one. */
  async find({ branch, baseBranch }: WantedPullRequest): Promise<VendorPullRequest | undefined> {
    const answer = await this.#ask({ method: "GET", path: this.#form.find.path, values: { branch, baseBranch } });
    requireSuccess(answer);
    const items = jsonOf(answer);
    if (!Array.isArray(items)) throw unreadable();
    const matches = items
      .slice(0, maxListed)
      .map((item) => readPullRequest(this.#form, this.#form.answer, item))
      .filter((pullRequest) => pullRequest?.branch === branch && pullRequest.isOwnBranch);
    return (
      matches.find((pullRequest) => pullRequest?.state === "Open") ??
      matches.find((candidate) => candidate?.state === "Merged") ??
      matches[0]
    );
  }

  /** Opens a pull request. A vendor that has one already refuses a second one; then that one is the answer. */
  async open(request: WantedPullRequest): Promise<VendorPullRequest> {
    const { path, body } = this.#form.open;
    failpoint("sourceControl.opening");
    const answer = await this.#ask({ method: "POST", path, values: {}, body: renderedTemplate(body, { ...request }) });
    failpoint("sourceControl.opened");
    if (refusals.includes(answer.status)) {
      const existing = await this.find(request);
      if (existing) return existing;
    }
    requireSuccess(answer);
    const pullRequest = readPullRequest(this.#form, this.#form.answer, readableOf(answer));
    return pullRequest ?? (await this.#opened(request));
  }

  /** The pull request that the vendor has opened with an answer that cannot be read. */
  async #opened(request: WantedPullRequest): Promise<VendorPullRequest> {
    const pullRequest = await this.find(request).catch(() => undefined);
    if (pullRequest) return pullRequest;
    throw new DomainError("OUTCOME_UNKNOWN", {
      detail:
        "The vendor has accepted the pull request, and its answer cannot be read. Look for the pull request at the vendor.",
    });
  }

  /** False when the vendor refuses the labels. The pull request stays. */
  async label({ number }: VendorPullRequest, labels: readonly string[]): Promise<boolean> {
    if (this.#form.label === undefined || labels.length === 0) return true;
    const { path, body } = this.#form.label;
    const values = { number: String(number) };
    const { status } = await this.#ask({ method: "POST", path, values, body: renderedTemplate(body, { labels }) });
    return status >= 200 && status < 300;
  }

  #ask({ method, path, values, body }: Request): Promise<VendorResponse> {
    const { repository, owner, name } = this.#place;
    const { connection } = this.#target;
    const configuration = { ...connection.configuration, repository, owner, name, ...values };
    const headers = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const target = { ...this.#target, connection: { ...connection, configuration } };
    return this.#calls.call(target, { purpose: "command", method, path, ...headers });
  }
}

function jsonOf({ body, truncated }: VendorResponse): unknown {
  if (truncated) throw unreadable();
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw unreadable();
  }
}

/** Undefined for an answer that cannot be read. */
function readableOf(answer: VendorResponse): unknown {
  try {
    return jsonOf(answer);
  } catch {
    return undefined;
  }
}

function requireSuccess({ status, credentialRejected }: VendorResponse): void {
  if (status >= 200 && status < 300) return;
  const detail = `The vendor answered with the status ${status}.`;
  if (credentialRejected)
    throw new DomainError("CREDENTIAL_REJECTED", {
      detail: `${detail} Check that the credential of the connection may open pull requests in the repository.`,
    });
  if (status === 404)
    throw new DomainError("VENDOR_REFUSED", {
      detail: `${detail} The repository does not exist, or the credential of the connection may not see it.`,
    });
  if (status >= 500 || status === 408 || status === 425) throw new DomainError("UPSTREAM_FAILED", { detail });
  throw new DomainError("VENDOR_REFUSED", {
    detail: `${detail} Check the base branch, the rules of the repository, and the content of the pull request.`,
  });
}

const unreadable = () =>
  new DomainError("UPSTREAM_FAILED", { detail: "The vendor's answer about the pull request cannot be read." });
