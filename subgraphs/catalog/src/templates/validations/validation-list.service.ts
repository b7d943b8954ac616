import { type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { parentFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ValidationResultType } from "./validation.type.js";
import { ValidationResult } from "./validation-result.entity.js";
import { isVoid } from "./void-result-statement.js";

type ResultRow = RowOf<ValidationResult> & { voided: boolean };

const readResult = rowReader(ValidationResult);

const resultById = keyStatement(
  "validation_result_by_id",
  `select result.*, ${isVoid} as voided from validation_results result
   where tenant_id = scope.tenant and validation_result_id = $2`,
);

const resultId: SortColumn<ValidationResultType> = {
  column: "validation_result_id",
  type: "uuid",
  unique: true,
  of: ({ validationResultId }) => decodeId("val", validationResultId) ?? "",
};

export const sortedValidationResults = new SortedList<ValidationResultType, TenantStatement>({
  list: "validationResults",
  // result ids increase with time
  columns: { validatedAt: resultId },
  id: resultId,
  byDefault: "-validatedAt",
  filters: { templateVersionId: parentFilter("tpv", "template_version_id") },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select result.*, ${isVoid} as voided from validation_results result
       where tenant_id = scope.tenant ${filters} ${after} order by ${order} limit ${limit}`,
    ),
});

/** Finds validation results, and lists a template version's results. */
export class ValidationListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async find(context: RequestContext, validationResultId: string): Promise<ValidationResultType | undefined> {
    const uuid = decodeId("val", validationResultId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ResultRow>(resultById, tenantOf(context), uuid);
    return row && resultView(row);
  }

  list(
    context: RequestContext,
    templateVersionId: string,
    request: PageRequest<never>,
  ): Promise<Connection<ValidationResultType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedValidationResults, list, { ...request, filter: { templateVersionId } }, resultView);
  }
}

function resultView({ voided, ...row }: ResultRow): ValidationResultType {
  const { tenantId: _, revision: __, validatedAt, ...result } = readResult(row);
  return { ...result, voided, validatedAt: validatedAt.toISOString() };
}
