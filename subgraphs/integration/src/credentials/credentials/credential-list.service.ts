import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CredentialFilterInput } from "./credential.input.js";
import { credentialKinds, credentialStates } from "./credential.states.js";
import type { CredentialType } from "./credential.type.js";
import {
  type CredentialRow,
  credentialColumns,
  credentialRowView,
  type VersionRow,
  versionRowView,
} from "./credential.view.js";
import type { CredentialVersionType } from "./credential-version.type.js";

export const sortedCredentials = new SortedList<CredentialType, TenantStatement>({
  list: "credentials",
  columns: {
    name: { column: "name", type: "text", unique: true, of: ({ name }) => name },
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
  },
  id: { column: "credential_id", type: "uuid", of: ({ credentialId }) => decodeId("crd", credentialId) ?? "" },
  byDefault: "name",
  firstParameter: 5,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select ${credentialColumns} from credentials where tenant_id = scope.tenant
         and ($2::text is null or status = $2) and ($3::text is null or kind = $3)
         and ($4::timestamptz is null or expires_at < $4) ${after}
       order by ${order} limit ${limit}`,
    ),
});

const shownVersions = 50;

const versionsOf = tenantStatement(
  "credential_versions_of",
  `select version.version, credential.name, version.stage, version.reason, version.verification_run_id,
     version.created_at, version.verified_at, version.promoted_at, version.grace_ends_at, version.retired_at,
     version.failed_at
   from credentials credential join credential_versions version using (tenant_id, credential_id)
   where credential.tenant_id = scope.tenant and credential.credential_id = $2
   order by version.version desc limit ${shownVersions}`,
);

/** Lists the credentials of a tenant and their versions, without any secret. */
export class CredentialListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(
    context: RequestContext,
    request: PageRequest<CredentialFilterInput>,
  ): Promise<Connection<CredentialType>> {
    const tenant = tenantOf(context);
    const { status = null, kind = null, expiresBefore = null } = request.filter ?? {};
    const problems: InvalidEnumValue[] = [];
    if (status !== null && !Object.hasOwn(credentialStates, status))
      problems.push({ pointer: "/filter/status", allowed: Object.keys(credentialStates) });
    if (kind !== null && !credentialKinds.some((known) => known === kind))
      problems.push({ pointer: "/filter/kind", allowed: credentialKinds });
    if (problems.length > 0) throw invalidEnumValue(problems);
    const scope = { tenantId: tenant.tenantId, status, kind, expiresBefore };
    const page = sortedCredentials.page(this.#cursors, scope, request);
    const { reader } = this.#database;
    const rows = await reader.rows<CredentialRow>(page.statement, tenant, status, kind, expiresBefore, ...page.values);
    return page.connection(rows.map(credentialRowView));
  }

  /** The newest 50 versions, the newest first. */
  async versions(context: RequestContext, credentialId: string): Promise<CredentialVersionType[]> {
    const uuid = decodeId("crd", credentialId);
    const rows = await this.#database.reader.rows<VersionRow>(versionsOf, tenantOf(context), uuid);
    return rows.map(versionRowView);
  }
}
