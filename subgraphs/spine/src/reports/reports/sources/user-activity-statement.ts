// tables: audit_records, users

import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { signInOperation } from "../../../people/users/record-sign-in.js";
import type { Cell } from "../../report-formats/report/report.js";
import type { ReportSnapshot, ValueRow } from "../snapshot/report-snapshot.js";
import { cellsOf, columnsIn, type SqlColumn } from "./cells.js";
import type { ReportSource, SourceQuery } from "./report-source.js";

/** A user's columns. */
const ofUser: readonly SqlColumn[] = [
  {
    ...({ key: "userId", title: "User", kind: "text", sql: "user_id", width: 1.5 } as const),
    cell: (uuid) => encodeId("usr", uuid),
  },
  {
    ...({ key: "email", title: "E-mail", kind: "text", width: 2, isNarrow: true } as const),
    sql: "case when status <> 'Deleted' then email end",
  },
  { key: "displayName", title: "Name", kind: "text", sql: "display_name", width: 1.5, isNarrow: true },
  { key: "status", title: "Status", kind: "text", sql: "status", isNarrow: true },
  { key: "createdAt", title: "Created", kind: "date-time", sql: "created_at" },
];

/** The columns that tell what a principal has done. */
const ofActivity: readonly SqlColumn[] = [
  {
    ...({ key: "signIns", title: "Sign-ins", kind: "integer", isNarrow: true } as const),
    sql: `count(*) filter (where operation = '${signInOperation}' and outcome = 'Succeeded')`,
  },
  {
    ...({ key: "operations", title: "Operations", kind: "integer", isNarrow: true } as const),
    sql: `count(*) filter (where operation <> '${signInOperation}' and outcome = 'Succeeded')`,
  },
  {
    ...({ key: "refusals", title: "Refusals", kind: "integer", isNarrow: true } as const),
    sql: "coalesce(sum(coalesce(count, 1)) filter (where outcome <> 'Succeeded'), 0)",
  },
  { key: "firstActivityAt", title: "First activity", kind: "date-time", sql: "min(coalesce(first_at, recorded_at))" },
  {
    ...({ key: "lastActivityAt", title: "Last activity", kind: "date-time", isNarrow: true } as const),
    sql: "max(recorded_at)",
  },
];

const columns = [...ofUser, ...ofActivity];
const idle: readonly Cell[] = [0, 0, 0, null, null];

const chosenUsers = "from users where tenant_id = $1 and created_at < $2";

/** By the users' wire ids, which sort as their UUIDs do. */
const activity = `select principal collate "C", ${ofActivity.map(({ sql }) => sql).join(", ")} from audit_records
  where tenant_id = $1 and recorded_at >= $2 and recorded_at < $3
    and (subject is null or subject <> all($4::text[])) and starts_with(principal, 'usr_')
  group by principal order by principal collate "C"`;

const users = `select ${ofUser.map(({ sql }) => sql).join(", ")} ${chosenUsers} order by user_id`;

/** The users who existed when the period ended, ordered by id, with their activity in it. */
export const userActivitySource: ReportSource = {
  columns: (format) => columnsIn(columns, format),
  async read(snapshot, query, format) {
    const values = [query.tenantUuid, query.end];
    const [[count] = []] = await snapshot.rows(`select count(*) ${chosenUsers}`, values);
    return { total: Number(count), rows: readUsers(snapshot, query, format) };
  },
  countUpTo: tenantStatement(
    "report_user_activity_rows",
    `select count(*)::int as rows from (
       select from users where tenant_id = scope.tenant and $2::timestamptz is not null and created_at < $3 limit $4) counted`,
  ),
};

/** Two cursors in id order: each user with the activity that has the same id. */
async function* readUsers(snapshot: ReportSnapshot, query: SourceQuery, format: string) {
  const { tenantUuid, start, end, leftOut } = query;
  const active = new Activities(snapshot.batches(activity, [tenantUuid, start, end, leftOut]));
  const [userCells, activityCells] = [cellsOf(ofUser), cellsOf(ofActivity)];
  const places = columns.flatMap(({ isNarrow }, at) => (isNarrow || format !== "pdf" ? [at] : []));
  for await (const batch of snapshot.batches(users, [tenantUuid, end])) {
    const rows: Cell[][] = [];
    for (const user of userCells(batch)) {
      const activity = await active.of(String(user[0]));
      const [activityCell = idle] = activity ? activityCells([activity]) : [];
      const row = [...user, ...activityCell];
      rows.push(places.map((at) => row[at] ?? null));
    }
    yield rows;
  }
}

/** The activities of principals in ascending order, read as far as they are asked for. */
class Activities {
  readonly #batches: AsyncGenerator<readonly ValueRow[], void, undefined>;
  #batch: readonly ValueRow[] = [];
  #at = 0;
  #ended = false;

  constructor(batches: AsyncGenerator<readonly ValueRow[], void, undefined>) {
    this.#batches = batches;
  }

  /** A principal's activity, without its id. Ask for principals in ascending order. */
  async of(principal: string): Promise<ValueRow | undefined> {
    for (;;) {
      const row = this.#batch[this.#at];
      if (row === undefined) {
        if (this.#ended || !(await this.#next())) return undefined;
        continue;
      }
      const rowPrincipal = String(row[0]);
      if (rowPrincipal > principal) return undefined;
      this.#at += 1;
      if (rowPrincipal === principal) return row.slice(1);
    }
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#batches.next();
    this.#ended = done === true;
    [this.#batch, this.#at] = [value ?? [], 0];
    return !this.#ended;
  }
}
