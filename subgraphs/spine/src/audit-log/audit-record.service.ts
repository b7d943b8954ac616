import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { AuditRecordFilterInput } from "./audit-record.input.js";
import type { AuditRecordConnection, AuditRecordType } from "./audit-record.type.js";
import { type AuditRecordRow, auditRecordColumns, auditRecordView, readAuditRecord } from "./audit-record.view.js";

type RecordList = SortedList<AuditRecordType, TenantStatement>;

const outcomes = ["Succeeded", "Refused"];
/** Each filter's condition on its parameter. */
const conditions = {
  principal: (place: string) => `principal = ${place}`,
  operation: (place: string) => `operation = ${place}`,
  outcome: (place: string) => `outcome = ${place}`,
  subject: (place: string) => `subject = ${place}`,
  code: (place: string) => `code = ${place}`,
  from: (place: string) => `recorded_at >= ${place}::timestamptz`,
  to: (place: string) => `recorded_at < ${place}::timestamptz`,
};
type Filter = keyof typeof conditions;
const filters = Object.keys(conditions) as Filter[];

const recordById = keyStatement(
  "audit_record_by_id",
  `select ${auditRecordColumns} from audit_records where tenant_id = scope.tenant and record_id = $2`,
);

const listBy = (usedFilters: readonly Filter[]): RecordList =>
  new SortedList<AuditRecordType, TenantStatement>({
    list: "auditRecords",
    columns: { time: { column: "recorded_at", type: "timestamptz", of: ({ time }) => time } },
    id: { column: "position", type: "bigint", of: ({ position }) => String(position) },
    byDefault: "-time",
    parameters: usedFilters,
    statement: (name, { place, after, order, limit }) => {
      const filterConditions = usedFilters.map((filter) => `and ${conditions[filter](place(filter))}`).join(" ");
      // Without a name a statement is planned for its values: they decide which index is best.
      return tenantStatement(
        usedFilters.length > 1 ? "" : [name, ...usedFilters].join("_"),
        `select ${auditRecordColumns} from audit_records where tenant_id = scope.tenant ${filterConditions} ${after}
         order by ${order} limit ${limit}`,
      );
    },
  });

/** A tenant's audit records without a filter. */
export const sortedAuditRecords = listBy([]);

/** Each filter combination has its own statements, so that every filter is an index condition. */
const lists = new Map<string, RecordList>([["", sortedAuditRecords]]);

/** The list with these filters. */
export function auditRecordsBy(usedFilters: readonly Filter[]): RecordList {
  const key = usedFilters.join();
  const list = lists.get(key) ?? listBy(usedFilters);
  lists.set(key, list);
  return list;
}

/** Finds and lists a tenant's audit records. */
export class AuditRecordService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async find(context: RequestContext, recordId: string): Promise<AuditRecordType | undefined> {
    const uuid = decodeId("aud", recordId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<AuditRecordRow>(recordById, tenantOf(context), uuid);
    return row && auditRecordView(readAuditRecord(row));
  }

  /** A page of records. Throws `VALIDATION_FAILED` for an unknown outcome. */
  async list(context: RequestContext, request: PageRequest<AuditRecordFilterInput>): Promise<AuditRecordConnection> {
    const tenant = tenantOf(context);
    const filter = request.filter ?? {};
    if (filter.outcome != null && !outcomes.includes(filter.outcome))
      throw invalidEnumValue([{ pointer: "/filter/outcome", allowed: outcomes }]);
    const usedFilters = filters.filter((name) => filter[name] != null);
    const values = usedFilters.map((name) => filter[name]);
    const scope = { tenantId: tenant.tenantId, given: usedFilters, values };
    const parameters = Object.fromEntries(usedFilters.map((name) => [name, filter[name]]));
    const page = auditRecordsBy(usedFilters).page(this.#cursors, scope, request, parameters);
    const { reader } = this.#database;
    const rows = await reader.rows<AuditRecordRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map((row) => auditRecordView(readAuditRecord(row))));
  }
}
