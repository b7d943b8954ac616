import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { AuditRecordFilterInput } from "./audit-record.input.js";
import type { AuditRecordConnection, AuditRecordType } from "./audit-record.type.js";
import { type AuditRecordRow, auditRecordColumns, auditRecordView } from "./audit-record.view.js";

type RecordList = SortedList<AuditRecordType, TenantStatement>;

const outcomes = ["Succeeded", "Refused"];
const columns = ["principal", "operation", "outcome", "subject", "code"] as const;
type FilterColumn = (typeof columns)[number];

/** `$2` and `$3` are the period; the values of the columns follow. */
const listBy = (filtered: readonly FilterColumn[]): RecordList =>
  new SortedList<AuditRecordType, TenantStatement>({
    list: "auditRecords",
    columns: { time: { column: "recorded_at", type: "timestamptz", of: ({ time }) => time } },
    id: { column: "position", type: "bigint", of: ({ position }) => String(position) },
    byDefault: "-time",
    firstParameter: 4 + filtered.length,
    statement: (name, { after, order, limit }) => {
      const equal = filtered.map((column, at) => `and ${column} = $${4 + at}`).join(" ");
      return tenantStatement(
        [name, ...filtered].join("_"),
        `select ${auditRecordColumns} from audit_records where tenant_id = scope.tenant
           and recorded_at >= $2::timestamptz and recorded_at < $3::timestamptz ${equal} ${after}
         order by ${order} limit ${limit}`,
      );
    },
  });

/** The list of the audit records of a tenant without a filter. */
export const sortedAuditRecords = listBy([]);

/** Each set of filters has statements of its own, so that every filter is a condition of an index. */
const lists = new Map<string, RecordList>([["", sortedAuditRecords]]);

/** The list with these filters. */
export function auditRecordsBy(filtered: readonly FilterColumn[]): RecordList {
  const key = filtered.join();
  const list = lists.get(key) ?? listBy(filtered);
  lists.set(key, list);
  return list;
}

/** Lists the audit log of a tenant. */
export class AuditRecordService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  /** A page of records. Throws `VALIDATION_FAILED` for an unknown outcome. */
  async list(context: RequestContext, request: PageRequest<AuditRecordFilterInput>): Promise<AuditRecordConnection> {
    const tenant = tenantOf(context);
    const filter = request.filter ?? {};
    if (filter.outcome != null && !outcomes.includes(filter.outcome))
      throw invalidEnumValue([{ pointer: "/filter/outcome", allowed: outcomes }], "VALIDATION_FAILED");
    const filtered = columns.filter((column) => filter[column] != null);
    const values = filtered.map((column) => filter[column]);
    const period = [filter.from ?? "-infinity", filter.to ?? "infinity"];
    const scope = { tenantId: tenant.tenantId, filtered, values, period };
    const page = auditRecordsBy(filtered).page(this.#cursors, scope, request);
    const rows = await this.#database.reader.rows<AuditRecordRow>(
      page.statement,
      tenant,
      ...period,
      ...values,
      ...page.values,
    );
    return page.connection(rows.map(auditRecordView));
  }
}
