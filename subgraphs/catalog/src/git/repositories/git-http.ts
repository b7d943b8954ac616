import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { isOutage, outageRefusal } from "@factory/runtime/errors/unavailable";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { isAuditedStatus, type RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import { errorCodes } from "@factory/schema/error-codes";
import { BackendRefusal, serveRepository } from "./git-backend.js";
import { type GitPath, readGitService } from "./git-request.js";
import type { RepositoryStore } from "./port/repository-store.js";

/** The tenant whose repositories a caller may read, all of them. */
export interface GitReader {
  tenantId: string;
  tenantSlug: string;
}

/** Names the token's owner for the audit log, before it is known whether the request is refused. */
export type Identify = (principal: Principal) => void;

interface GitHttpOptions {
  /** Undefined: the answer asks for credentials. A DomainError that it throws becomes the answer. */
  authorize(request: IncomingMessage, identify: Identify): Promise<GitReader | undefined>;
  /** Takes refused requests for the audit log; absent: they are dropped. */
  refusals?: RefusalSink;
  /** Logs unexpected errors; the caller sees INTERNAL. */
  logger?: Logger;
  maxConcurrent?: number;
  timeoutMs?: number;
}

export type GitHttpHandler = (request: IncomingMessage, response: ServerResponse, path: GitPath) => Promise<void>;

const defaultMaxConcurrent = 16;
const maxPerTenant = 4;
const defaultTimeoutMs = 300_000;
const requestBytesLimit = 10 * 1024 * 1024;

/**
 * Creates the handler for git's smart HTTP protocol over the embedded store, read-only. The request's body must be
 * unread.
 */
export function createGitHttpHandler(store: RepositoryStore, options: GitHttpOptions): GitHttpHandler {
  const { maxConcurrent = defaultMaxConcurrent, timeoutMs = defaultTimeoutMs } = options;
  const clones = new ConcurrencyLimiter({ maxTotal: maxConcurrent, maxPerTenant }, "clones");

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { path, identify }: { path: GitPath; identify: Identify },
  ): Promise<void> {
    const reader = await options.authorize(request, identify);
    if (reader === undefined)
      throw new DomainError("UNAUTHENTICATED", {
        detail: "A token is required: as a bearer token, or as the password of basic authentication.",
      });
    const service = readGitService(request, path.rest);
    if (service?.kind === "write") throw readOnly();
    const release = clones.acquire(reader.tenantId);
    if (release === undefined)
      throw new DomainError("UNAVAILABLE", { detail: "Too many clones are running. Try again later." });
    try {
      // The search may download the repository into the cache.
      const folder = await findRepository(store, reader, path);
      if (service === undefined || folder === undefined) throw new DomainError("NOT_FOUND");
      if (request.method !== service.method) throw new DomainError("METHOD_NOT_ALLOWED", { allow: service.method });
      const limits = { timeoutMs, maxRequestBytes: requestBytesLimit };
      await serveRepository({ request, response }, { folder, service }, limits);
    } finally {
      release();
    }
  }

  return async (request, response, path) => {
    let principal: Principal | undefined;
    const identify: Identify = (tokenOwner) => {
      principal = tokenOwner;
    };
    try {
      await serve(request, response, { path, identify });
    } catch (error) {
      const refusal = refusalOf(error);
      const { status } = errorCodes[refusal.code];
      if (isAuditedStatus(status))
        options.refusals?.note({
          operation: `${request.method} /git/{tenantSlug}/{owner}/{name}.git`,
          ...{ code: refusal.code, status, trace: continueTrace(traceparentOf(request)) },
          ...{ principal, origin: originOfRequest(request) },
        });
      if (isOutage(error)) options.logger?.warn({ err: error }, "a git request could not be served");
      if (refusal.code === "INTERNAL") options.logger?.error({ err: error }, "a git request failed unexpectedly");
      answerProblem(request, response, refusal);
    }
  };
}

/** Another tenant's slug finds nothing, like an unknown slug. */
async function findRepository(store: RepositoryStore, reader: GitReader, path: GitPath): Promise<string | undefined> {
  if (path.tenant !== reader.tenantSlug) return undefined;
  return store.find({ tenantId: reader.tenantId, owner: path.owner, name: path.name.replace(/\.git$/, "") });
}

const readOnly = () =>
  new DomainError("INSUFFICIENT_SCOPE", {
    detail:
      "The git store of the platform takes no pushes: its repositories are read-only over HTTP. Request an execution, which writes to them, or push to a repository of your own.",
  });

function refusalOf(error: unknown): DomainError {
  const outage = outageRefusal(error);
  if (outage) return outage;
  if (error instanceof DomainError && errorCodes[error.code].status !== null) return error;
  if (!(error instanceof BackendRefusal)) return new DomainError("INTERNAL", { detail: "An internal error occurred." });
  if (error.status === 404) return new DomainError("NOT_FOUND");
  if (error.status === 415) return new DomainError("UNSUPPORTED_MEDIA_TYPE");
  if (error.status < 500)
    return new DomainError("VALIDATION_FAILED", {
      detail: "The request is not a valid request of the git smart HTTP protocol.",
    });
  return new DomainError("UNAVAILABLE", { detail: "The repository cannot be read now. Try again later." });
}

function answerProblem(request: IncomingMessage, response: ServerResponse, refusal: DomainError): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { title, status } = errorCodes[refusal.code];
  const { traceId } = continueTrace(traceparentOf(request));
  // git shows its user a refusal's text only where it is plain text
  const isGit = request.headers["user-agent"]?.startsWith("git/") === true;
  const body = {
    type: `/problems/${refusal.code.toLowerCase().replaceAll("_", "-")}`,
    title,
    status,
    detail: refusal.facts.detail ?? title,
    code: refusal.code,
    traceId,
  };
  response.writeHead(status ?? 500, {
    ...headersFor(status, refusal),
    "content-type": isGit ? "text/plain; charset=utf-8" : "application/problem+json",
    "cache-control": "no-store",
    "x-trace-id": traceId,
  });
  response.end(isGit ? `${body.detail}\n` : JSON.stringify(body));
  // The rest of the body is read and dropped, so that the connection can be used again.
  request.resume();
}

function headersFor(status: number | null, { facts }: DomainError): Record<string, string> {
  // Git asks for a password only after this challenge.
  if (status === 401) return { "www-authenticate": 'Basic realm="git", charset="UTF-8"' };
  if (status === 405) return { allow: String(facts["allow"]) };
  return status === 503 ? { "retry-after": String(facts["retryAfterSeconds"] ?? 1) } : {};
}

function traceparentOf(request: IncomingMessage): string | undefined {
  const header = request.headers.traceparent;
  return typeof header === "string" ? header : undefined;
}
