import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CredentialFilterInput } from "./credential.input.js";
import type { CredentialType } from "./credential.type.js";
import {
  type CredentialRow,
  credentialColumns,
  credentialView,
  readCredential,
  readVersion,
  type ShownVersionMember,
  shownVersionMembers,
  versionView,
} from "./credential.view.js";
import { CredentialVersion } from "./credential-version.entity.js";
import type { CredentialVersionType } from "./credential-version.type.js";

export const sortedCredentials = new SortedList<CredentialType, TenantStatement>({
  list: "credentials",
  columns: {
    name: { column: "name", type: "text", unique: true, of: ({ name }) => name },
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "credential_id", type: "uuid", of: ({ credentialId }) => decodeId("crd", credentialId) ?? "" },
  byDefault: "name",
  filters: {
    status: textFilter("status"),
    kind: textFilter("kind"),
    expiresBefore: {
      condition: (time) => `(${time}::timestamptz is null or expires_at < ${time})`,
      parameter: (time: string) => time,
    },
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${credentialColumns} from credentials where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

const shownVersions = 50;

const versionsOf = tenantStatement(
  "credential_versions_of",
  `select credential.name, ${columnsOf(CredentialVersion, shownVersionMembers, "version")}
   from credentials credential join credential_versions version using (tenant_id, credential_id)
   where credential.tenant_id = scope.tenant and credential.credential_id = $2
   order by version.version desc limit ${shownVersions}`,
);

/** Lists the tenant's credentials with their versions, without any secret. */
export class CredentialListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  list(context: RequestContext, request: PageRequest<CredentialFilterInput>): Promise<Connection<CredentialType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedCredentials, list, request, (row: CredentialRow) => credentialView(readCredential(row)));
  }

  /** The newest 50 versions, the newest first. */
  async versions(context: RequestContext, credentialId: string): Promise<CredentialVersionType[]> {
    const uuid = decodeId("crd", credentialId);
    type Row = RowOf<CredentialVersion, ShownVersionMember> & Pick<CredentialRow, "name">;
    const rows = await this.#database.reader.rows<Row>(versionsOf, tenantOf(context), uuid);
    return rows.map((row) => versionView(readVersion(row), row.name));
  }
}
