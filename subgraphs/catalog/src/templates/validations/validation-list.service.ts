import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ValidationFindingType, ValidationOutcome, ValidationResultType } from "./validation.type.js";
import { isVoid } from "./void-result-statement.js";

interface ResultRow {
  validation_result_id: string;
  template_version_id: string;
  outcome: keyof typeof ValidationOutcome;
  checks: string[];
  findings: ValidationFindingType[];
  samples: number;
  content_digest: string | null;
  voided: boolean;
  validated_at: Date;
}

const resultId: SortColumn<ValidationResultType> = {
  column: "validation_result_id",
  type: "uuid",
  unique: true,
  of: ({ validationResultId }) => decodeId("val", validationResultId) ?? "",
};

export const sortedValidationResults = new SortedList<ValidationResultType, TenantStatement>({
  list: "validationResults",
  // ids of results increase with time
  columns: { validatedAt: resultId },
  id: resultId,
  byDefault: "-validatedAt",
  firstParameter: 3,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select result.*, ${isVoid} as voided from validation_results result
       where tenant_id = scope.tenant and template_version_id = $2 ${after} order by ${order} limit ${limit}`,
    ),
});

/** Lists the validation results of one template version. */
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
    request: PageRequest<never>,
  ): Promise<Connection<ValidationResultType>> {
    const tenant = tenantOf(context);
    const scope = { tenantId: tenant.tenantId, templateVersionId };
    const page = sortedValidationResults.page(this.#cursors, scope, request);
    const uuid = decodeId("tpv", templateVersionId);
    const { reader } = this.#database;
    const rows = uuid === undefined ? [] : await reader.rows<ResultRow>(page.statement, tenant, uuid, ...page.values);
    return page.connection(rows.map(resultView));
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
    voided: row.voided,
    validatedAt: row.validated_at.toISOString(),
  };
}
