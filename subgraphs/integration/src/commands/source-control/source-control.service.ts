import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Trace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import type { ConnectionRecord } from "../../connections/connections/connection.view.js";
import { unknownConnection } from "../../connections/connections/locked-connection.js";
import { requireUsableConnection, requireUsableProvider } from "../../connections/vendor-calls/usable-target.js";
import type { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import type { VendorLogin, VendorLogins } from "../../connections/vendor-calls/vendor-logins.js";
import type { SourceControlForm } from "../../providers/provider-drivers/source-control-form.js";
import { sourceControlForm } from "../../providers/providers/preset-source-control.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { VendorPullRequest } from "./pull-request.js";
import { PullRequestVendor, type WantedPullRequest } from "./pull-request-vendor.js";
import { type RepositoryPlace, repositoryPlace } from "./repository-place.js";

interface Services {
  readonly connections: ConnectionService;
  readonly providers: ProviderService;
  readonly calls: VendorCalls;
  readonly logins: VendorLogins;
  readonly logger: Logger;
}

/** A tenant's repository, reached through one connection. */
interface RepositoryRequest {
  readonly tenantId: string;
  readonly connectionId: string;
  readonly repository: string;
}

/** Another service's call, for the trace and the audit log. */
export interface RepositoryUse {
  readonly caller: string;
  readonly subject: string;
  readonly trace: Trace;
  readonly signal: AbortSignal;
}

/** Where a repository is, and which provider it belongs to. */
interface Located {
  readonly gitUrl: string;
  readonly providerId: string;
}

interface Reached {
  readonly tenant: Tenant;
  readonly connection: ConnectionRecord;
  readonly provider: ProviderRecord;
  readonly form: SourceControlForm;
  readonly place: RepositoryPlace;
}

const capability = "pull-requests.write";

/** Reaches repositories at source-control vendors through the tenants' connections. */
export class SourceControlService {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Throws CONNECTION_NOT_FOUND, INVALID_STATE, CAPABILITY_MISSING and TARGET_INVALID. */
  async locate(request: RepositoryRequest): Promise<Located> {
    const { place, provider } = await this.#reach(request);
    return { gitUrl: place.gitUrl.href, providerId: provider.providerId };
  }

  /** The login for one push. Throws as `locate`, and what `VendorLogins.of` throws. Each request is logged without the login. */
  async authorize(
    request: RepositoryRequest,
    { caller, subject, trace, signal }: RepositoryUse,
  ): Promise<{ readonly gitUrl: string; readonly login: VendorLogin | undefined }> {
    const { logins, logger } = this.#services;
    const { tenantId, connectionId, repository } = request;
    const facts = { tenantId, connectionId, repository, subject, caller, traceId: trace.traceId };
    try {
      const { tenant, connection, provider, form, place } = await this.#reach(request);
      const target = { tenant, cause: { trace }, connection, signal };
      const { gitUrl: url } = place;
      const login = await logins.of(target, provider, { url, username: form.gitUsername });
      signal.throwIfAborted();
      logger.info(facts, "push authorized");
      return { gitUrl: url.href, login };
    } catch (error) {
      logger.info({ ...facts, code: error instanceof DomainError ? error.code : "INTERNAL" }, "push refused");
      throw error;
    }
  }

  /**
   * A branch's pull request, which is opened if the branch has none. Undefined when it was only to be found. Throws as
   * `locate`, what `VendorCalls.call` throws, CREDENTIAL_REJECTED and VENDOR_REFUSED.
   */
  async openPullRequest(
    request: RepositoryRequest,
    { onlyFind, ...wantedPullRequest }: WantedPullRequest & { readonly onlyFind: boolean },
    { trace, signal }: RepositoryUse,
  ): Promise<{ readonly pullRequest: VendorPullRequest; readonly labeled: boolean } | undefined> {
    const { tenant, connection, form, place } = await this.#reach(request);
    const target = { tenant, cause: { trace }, connection, signal };
    const vendor = new PullRequestVendor(this.#services.calls, target, form, place);
    const existing = await vendor.find(wantedPullRequest);
    if (!existing && onlyFind) return undefined;
    const pullRequest = existing ?? (await vendor.open(wantedPullRequest));
    // A process that died after the pull request was opened may not have labeled it.
    const isLabeled = pullRequest.state !== "Open" || (await vendor.label(pullRequest, wantedPullRequest.labels));
    return { pullRequest, labeled: isLabeled };
  }

  async #reach({ tenantId, connectionId, repository }: RepositoryRequest): Promise<Reached> {
    const { connections, providers } = this.#services;
    const tenant = tenantWithId(tenantId);
    const connection = await connections.record(tenant, connectionId);
    if (!connection) throw unknownConnection();
    const provider = requireUsableProvider(await providers.record(tenant, connection.providerId));
    requireUsableConnection(connection, "command");
    const form = sourceControlForm(provider.preset);
    if (!form || !provider.capabilities.includes(capability) || provider.baseUrl === null)
      throw new DomainError("CAPABILITY_MISSING", {
        detail: `The provider of the connection needs the capability ${capability}, a base URL, and the preset of a source-control vendor. Use another connection.`,
      });
    return { tenant, connection, provider, form, place: repositoryPlace(form, provider.baseUrl, repository) };
  }
}
