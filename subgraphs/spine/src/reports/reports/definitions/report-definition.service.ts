import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { reportFormats } from "../../report-formats/report-formats.js";
import { contentScopesOf, isKnownReport, knownReports, type ReportCode } from "./known-reports.js";
import type { ReportDefinitionFilterInput } from "./report-definition.input.js";
import type { ReportDefinitionConnection, ReportDefinitionType } from "./report-definition.type.js";
import { periodSchema } from "./report-period.js";

interface DefinitionRow {
  definition_id: string;
  code: string;
  created_at: Date;
}

/** A definition of a report that this release can make. */
export interface UsableDefinition {
  readonly reportDefinitionId: string;
  readonly code: ReportCode;
}

const columns = "definition_id, code, created_at";

const oneDefinition = tenantStatement(
  "one_report_definition",
  `select ${columns} from report_definitions where tenant_id = scope.tenant and definition_id = $2`,
);

const definitionByCode = tenantStatement(
  "report_definition_by_code",
  `select ${columns} from report_definitions where tenant_id = scope.tenant and code = $2`,
);

export const sortedReportDefinitions = new SortedList<ReportDefinitionType, TenantStatement>({
  list: "reportDefinitions",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
    code: { column: "code", type: "text", unique: true, of: ({ code }) => code },
  },
  id: {
    column: "definition_id",
    type: "uuid",
    of: ({ reportDefinitionId }) => decodeId("rpd", reportDefinitionId) ?? "",
  },
  byDefault: "createdAt",
  firstParameter: 4,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select ${columns} from report_definitions where tenant_id = scope.tenant
         and code = any($2::text[]) and ($3::text is null or code = $3) ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Reads the report definitions of a tenant. */
export class ReportDefinitionService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(
    context: RequestContext,
    request: PageRequest<ReportDefinitionFilterInput>,
  ): Promise<ReportDefinitionConnection> {
    const tenant = tenantOf(context);
    const { code = null } = request.filter ?? {};
    const page = sortedReportDefinitions.page(this.#cursors, { tenantId: tenant.tenantId, code }, request);
    const { reader } = this.#database;
    const known = Object.keys(knownReports);
    const rows = await reader.rows<DefinitionRow>(page.statement, tenant, known, code, ...page.values);
    return page.connection(rows.map(definitionView));
  }

  /** The definition with this id, if this release can make its report. */
  async find(tenant: Tenant, reportDefinitionId: string): Promise<UsableDefinition | undefined> {
    const uuid = decodeId("rpd", reportDefinitionId);
    return uuid === undefined ? undefined : this.#one(oneDefinition, tenant, uuid);
  }

  /** The definition of the report with this code. */
  findByCode(tenant: Tenant, code: string): Promise<UsableDefinition | undefined> {
    return this.#one(definitionByCode, tenant, code);
  }

  async #one(statement: TenantStatement, tenant: Tenant, value: string): Promise<UsableDefinition | undefined> {
    const row = await this.#database.reader.row<DefinitionRow>(statement, tenant, value);
    if (!row || !isKnownReport(row.code)) return undefined;
    return { reportDefinitionId: encodeId("rpd", row.definition_id), code: row.code };
  }
}

function definitionView({ definition_id, code, created_at }: DefinitionRow): ReportDefinitionType {
  const { name, description } = knownReports[code as ReportCode];
  return {
    reportDefinitionId: encodeId("rpd", definition_id),
    code,
    name,
    description,
    formats: Object.keys(reportFormats),
    parametersSchema: periodSchema,
    contentScopes: [...contentScopesOf(code)],
    createdAt: created_at.toISOString(),
  };
}
