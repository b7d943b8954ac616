import type { Database } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { connectionOf, type PageRequest, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { emailKey } from "./email-key.js";
import type { UserFilterInput } from "./user.input.js";
import { type UserState, userStates } from "./user.states.js";
import type { UserConnection, UserType } from "./user.type.js";
import { type UserRow, userRowView } from "./user.view.js";
import { beforeEverybody, UserList, type UserSearch } from "./user-list.js";
import { userOfId } from "./user-statements.js";

/** Reads. */
export class UserService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;
  readonly #list: UserList;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
    this.#list = new UserList(database.reader);
  }

  async find(context: RequestContext, userId: string): Promise<UserType | undefined> {
    const uuid = decodeId("usr", userId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<UserRow>(userOfId, tenantOf(context), [uuid], [userId]);
    return row && userRowView(row);
  }

  /** In the order of registration, which is that of the ids. */
  async list(context: RequestContext, { first, after, filter }: PageRequest<UserFilterInput>): Promise<UserConnection> {
    const size = pageSize(first);
    const tenant = tenantOf(context);
    const search = searchOf(filter);
    const scope = { list: "users", tenantId: tenant.tenantId, ...search };
    const position = after == null ? beforeEverybody : (this.#cursors.open(scope, after) as string);
    const rows = await this.#list.page(tenant, search, { after: position, count: size + 1 });
    return connectionOf(rows.map(userRowView), {
      size,
      after,
      cursorOf: ({ userId }) => this.#cursors.seal(scope, decodeId("usr", userId)),
    });
  }
}

function searchOf(filter: UserFilterInput | null | undefined): UserSearch {
  const { status = null, email = null, roleCode = null, q = null } = filter ?? {};
  if (status !== null && !isUserState(status))
    throw new DomainError("VALIDATION_FAILED", {
      detail: "There is no such status.",
      errors: [
        {
          pointer: "/filter/status",
          code: "UNKNOWN_VALUE",
          detail: `Must be one of ${Object.keys(userStates).join(", ")}.`,
        },
      ],
    });
  return {
    status,
    email: email === null ? null : emailKey(email),
    roleCode,
    q: q === null || q === "" ? null : emailKey(q),
  };
}

const isUserState = (status: string): status is UserState => Object.hasOwn(userStates, status);

export function unknownUser(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "There is no such user." });
}
