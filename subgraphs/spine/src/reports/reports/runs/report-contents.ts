import type { Readable } from "node:stream";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import { reportFormats } from "../../report-formats/report-formats.js";
import type { ContentStore } from "../contents/content-store.js";
import { contentScopesOf } from "../definitions/known-reports.js";
import { type ReportRunService, unknownRun } from "./report-run.service.js";
import { isFormat, type RunRecord, runTable } from "./run-record.js";

/** A Completed run's content, as the REST facade serves it. */
export interface ReportContent {
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The bytes from `start` to `end`, both included. Throws UNAVAILABLE when the store does not have them. */
  read(start: number, end: number): Promise<Readable>;
}

/** Opens the contents that report runs have for callers who may read them. */
export class ReportContents {
  readonly #runs: ReportRunService;
  readonly #contents: ContentStore;
  readonly #logger: Logger;

  constructor(runs: ReportRunService, contents: ContentStore, logger: Logger) {
    this.#runs = runs;
    this.#contents = contents;
    this.#logger = logger;
  }

  /** Throws RUN_NOT_FOUND, INSUFFICIENT_SCOPE, INVALID_STATE before the run is Completed, and REPORT_EXPIRED after it. */
  async open(caller: Principal, reportRunId: string): Promise<ReportContent> {
    const tenant = tenantOf(requestContext({ principal: caller, trace: continueTrace(undefined) }));
    const run = await this.#runs.find(tenant, reportRunId);
    if (!run) throw unknownRun();
    requireScopes(caller, run);
    const { reportCode, parameters, format, sizeBytes, sha256, contentType } = stored(run);
    const extension = isFormat(format) ? reportFormats[format].extension : format;
    return {
      fileName: `${reportCode}_${parameters.from}_${parameters.to}.${extension}`,
      contentType: contentType ?? "application/octet-stream",
      sizeBytes,
      sha256,
      read: (start, end) => this.#read(tenant, run, { start, end }),
    };
  }

  async #read(tenant: Tenant, run: RunRecord, { start, end }: { start: number; end: number }): Promise<Readable> {
    const { reportRunId, fence, sizeBytes } = run;
    const content = await this.#contents.open({ tenant: tenant.uuid, run: runTable.uuid(reportRunId), fence });
    if (content?.sizeBytes === sizeBytes) return content.read(start, end);
    await content?.close();
    // The content may have been removed between the two reads.
    const now = await this.#runs.find(tenant, reportRunId);
    if (now) stored(now);
    this.#logger.error(
      { reportRunId, found: content?.sizeBytes },
      "the content of a report run is missing in FILES_DIR",
    );
    throw new DomainError("UNAVAILABLE", {
      detail: "The content of the report cannot be read now. Try again later, or generate the report again.",
    });
  }
}

type StoredRun = RunRecord & { readonly sizeBytes: number; readonly sha256: string };

function stored(run: RunRecord): StoredRun {
  const { status, sizeBytes, sha256 } = run;
  if (status === "Completed" && sizeBytes !== null && sha256 !== null) return { ...run, sizeBytes, sha256 };
  if (status === "Expired")
    throw new DomainError("REPORT_EXPIRED", {
      detail: "The content of the report was deleted. Generate the report again.",
      expiresAt: run.expiresAt,
    });
  throw new DomainError("INVALID_STATE", {
    detail: `The report run is ${status}. It has a content when it is Completed.`,
    currentState: status,
    allowed: ["Completed"],
  });
}

/** The content shows what these scopes protect elsewhere. */
function requireScopes({ scopes }: Principal, { reportCode }: RunRecord): void {
  const neededScopes = contentScopesOf(reportCode);
  if (neededScopes.every((scope) => scopes.has(scope))) return;
  throw new DomainError("INSUFFICIENT_SCOPE", {
    detail: `The content of the report ${reportCode} is read with a token that has the scope ${neededScopes.join(" and ")} as well.`,
    requiredScopes: neededScopes,
  });
}
