import type { Database } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type Connection, connectionOf, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { ValidationFindingType, ValidationOutcome, ValidationResultType } from "./validation.type.js";

interface ResultRow {
  validation_result_id: string;
  template_version_id: string;
  outcome: keyof typeof ValidationOutcome;
  checks: string[];
  findings: ValidationFindingType[];
  samples: number;
  content_digest: string | null;
  validated_at: Date;
}

const resultsBefore = tenantStatement(
  "validation_results_before",
  `select result.* from validation_results result where tenant_id = scope.tenant and template_version_id = $2
     and ($3::uuid is null or validation_result_id < $3)
   order by validation_result_id desc limit $4`,
);

/** Of one version, newest first. */
export class ValidationListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(
    context: RequestContext,
    templateVersionId: string,
    { first, after }: { first?: number | null | undefined; after?: string | null | undefined },
  ): Promise<Connection<ValidationResultType>> {
    const size = pageSize(first);
    const tenant = tenantOf(context);
    const scope = { list: "validationResults", tenantId: tenant.tenantId, templateVersionId };
    const before = after == null ? null : String(this.#cursors.open(scope, after));
    const uuid = decodeId("tpv", templateVersionId);
    const { reader } = this.#database;
    const rows = uuid === undefined ? [] : await reader.rows<ResultRow>(resultsBefore, tenant, uuid, before, size + 1);
    const cursorOf = ({ validationResultId }: ValidationResultType) =>
      this.#cursors.seal(scope, decodeId("val", validationResultId));
    return connectionOf(rows.map(resultView), { size, after, cursorOf });
  }
}

function resultView(row: ResultRow): ValidationResultType {
  const { outcome, checks, findings, samples } = row;
  return {
    validationResultId: encodeId("val", row.validation_result_id),
    templateVersionId: encodeId("tpv", row.template_version_id),
    outcome,
    checks,
    findings,
    samples,
    contentDigest: row.content_digest,
    validatedAt: row.validated_at.toISOString(),
  };
}
