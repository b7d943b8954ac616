import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { textFilter } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { reportFormats } from "../../report-formats/report-formats.js";
import { contentScopesOf, isKnownReport, knownReports, type ReportCode } from "./known-reports.js";
import { ReportDefinition } from "./report-definition.entity.js";
import type { ReportDefinitionFilterInput } from "./report-definition.input.js";
import type { ReportDefinitionConnection, ReportDefinitionType } from "./report-definition.type.js";
import { periodSchema } from "./report-period.js";

/** A definition for a report that this release can make. */
export interface UsableDefinition {
  readonly reportDefinitionId: string;
  readonly code: ReportCode;
}

const columns = columnsOf(ReportDefinition);
const readDefinition = rowReader(ReportDefinition);

const oneDefinition = keyStatement(
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
  filters: { code: textFilter("code") },
  parameters: ["known"],
  statement: (name, { place, filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${columns} from report_definitions where tenant_id = scope.tenant
         and code = any(${place("known")}::text[]) ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Reads a tenant's report definitions. */
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
    const knownCodes = Object.keys(knownReports);
    const page = sortedReportDefinitions.page(this.#cursors, { tenantId: tenant.tenantId }, request, {
      known: knownCodes,
    });
    const rows = await this.#database.reader.rows<RowOf<ReportDefinition>>(page.statement, tenant, ...page.values);
    return page.connection(rows.map((row) => definitionView(readDefinition(row))));
  }

  /** The definition with this id, if this release can make its report. */
  async find(tenant: Tenant, reportDefinitionId: string): Promise<UsableDefinition | undefined> {
    const uuid = decodeId("rpd", reportDefinitionId);
    return uuid === undefined ? undefined : this.#one(oneDefinition, tenant, uuid);
  }

  /** The same as GraphQL shows it. */
  async view(tenant: Tenant, reportDefinitionId: string): Promise<ReportDefinitionType | undefined> {
    const uuid = decodeId("rpd", reportDefinitionId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<RowOf<ReportDefinition>>(oneDefinition, tenant, uuid);
    return row && isKnownReport(row.code) ? definitionView(readDefinition(row)) : undefined;
  }

  /** The definition for the report with this code. */
  findByCode(tenant: Tenant, code: string): Promise<UsableDefinition | undefined> {
    return this.#one(definitionByCode, tenant, code);
  }

  async #one(statement: TenantStatement, tenant: Tenant, value: string): Promise<UsableDefinition | undefined> {
    const row = await this.#database.reader.row<RowOf<ReportDefinition>>(statement, tenant, value);
    if (!row || !isKnownReport(row.code)) return undefined;
    return { reportDefinitionId: readDefinition(row).definitionId, code: row.code };
  }
}

function definitionView({ definitionId, code, createdAt }: RecordOf<ReportDefinition>): ReportDefinitionType {
  const { name, description } = knownReports[code as ReportCode];
  return {
    reportDefinitionId: definitionId,
    code,
    name,
    description,
    formats: Object.keys(reportFormats),
    parametersSchema: periodSchema,
    contentScopes: [...contentScopesOf(code)],
    createdAt: createdAt.toISOString(),
  };
}
