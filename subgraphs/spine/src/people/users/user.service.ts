import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { UserFilterInput } from "./user.input.js";
import { type UserState, userStates } from "./user.states.js";
import type { UserConnection, UserType } from "./user.type.js";
import { readUser, type UserRow, userView } from "./user.view.js";
import { UserList, type UserSearch } from "./user-list.js";
import { userOfId } from "./user-list-statement.js";

const userId: SortColumn<UserType> = {
  column: "user_id",
  type: "uuid",
  unique: true,
  of: (user) => decodeId("usr", user.userId) ?? "",
};

/** Ids are in registration order. `UserList` has the statements that read a page. */
export const sortedUsers = new SortedList<UserType, { descending: boolean }>({
  list: "users",
  columns: { createdAt: userId },
  id: userId,
  byDefault: "createdAt",
  statement: (_name, { descending }) => ({ descending }),
});

/** Finds and lists users. */
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
    const row = await this.#database.reader.row<UserRow>(userOfId, tenantOf(context), uuid, userId);
    return row && rowView(row);
  }

  async list(context: RequestContext, request: PageRequest<UserFilterInput>): Promise<UserConnection> {
    const tenant = tenantOf(context);
    const search = searchOf(request.filter);
    const page = sortedUsers.page(this.#cursors, { tenantId: tenant.tenantId, ...search }, request);
    const { statement, position, count } = page;
    const [after] = position as [string | undefined];
    return page.connection((await this.#list.page(tenant, search, { ...statement, after, count })).map(rowView));
  }
}

const rowView = (row: UserRow) => userView(readUser(row), row.role_codes);

function searchOf(filter: UserFilterInput | null | undefined): UserSearch {
  const { status = null, email = null, roleCode = null, q = null } = filter ?? {};
  if (status !== null && !isUserState(status))
    throw invalidEnumValue([{ pointer: "/filter/status", allowed: Object.keys(userStates) }]);
  return {
    status,
    email: email === null ? null : mailAddressKey(email),
    roleCode,
    q: q === null || q === "" ? null : mailAddressKey(q),
  };
}

const isUserState = (status: string): status is UserState => Object.hasOwn(userStates, status);
