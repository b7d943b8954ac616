import type { NamedStatement } from "@factory/runtime/db/named-parameters";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { UserState } from "./user.states.js";
import type { UserRow } from "./user.view.js";
import {
  holdersAmong,
  holdersInOrder,
  idOfEmail,
  idsAmong,
  idsInOrder,
  idsOfPrefix,
  idsOfPrefixInOrder,
  isStateCommon,
  usersOfIds,
} from "./user-list-statement.js";

export interface UserSearch {
  readonly status: UserState | null;
  /** `email` and `q` have the form that `mailAddressKey` makes. */
  readonly email: string | null;
  readonly roleCode: string | null;
  readonly q: string | null;
}

/** The next `count` ids after `after`, or the first ones when it is undefined. */
interface PageSlice {
  readonly after: string | undefined;
  readonly count: number;
  readonly descending: boolean;
}

const highestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const startOf = ({ after, descending }: PageSlice) => after ?? (descending ? highestId : nilUuid);

/** The texts that begin with the prefix end with the prefix and the last code point. */
const rangeOf = (prefix: string | null) => ({ begin: prefix, end: prefix === null ? null : `${prefix}\u{10ffff}` });

const principal = (userId: string) => encodeId("usr", userId);
const maxBatchSize = 4000;

/** Reads one page: first the ids, from the index that reads the fewest rows, then the rows with their roles. */
export class UserList {
  readonly #reader: TenantReader;

  constructor(reader: TenantReader) {
    this.#reader = reader;
  }

  async page(tenant: Tenant, search: UserSearch, slice: PageSlice): Promise<UserRow[]> {
    const ids = await this.#ids(tenant, search, slice);
    if (ids.length === 0) return [];
    const rows = await this.#reader.rows<UserRow>(usersOfIds, tenant, ids, ids.map(principal));
    return slice.descending ? rows.reverse() : rows;
  }

  async #ids(tenant: Tenant, search: UserSearch, slice: PageSlice): Promise<string[]> {
    // deleted users' addresses and names are erased, so a search cannot find them
    if (search.status === "Deleted" && (search.email !== null || search.q !== null)) return [];
    const matches = await this.#sortedMatches(tenant, search);
    if (matches) {
      const start = startOf(slice);
      const remainingIds = slice.descending
        ? matches.filter((id) => id < start).reverse()
        : matches.filter((id) => id > start);
      return search.roleCode === null
        ? remainingIds.slice(0, slice.count)
        : this.#holding(tenant, search.roleCode, remainingIds, slice);
    }
    if (search.roleCode === null) return this.#walk(tenant, search, slice);
    return (await this.#isRare(tenant, search.status))
      ? this.#walkRareState(tenant, search, search.roleCode, slice)
      : this.#holders(tenant, search, search.roleCode, slice);
  }

  #walk(tenant: Tenant, { status, q }: UserSearch, slice: PageSlice): Promise<string[]> {
    const { count, descending } = slice;
    const after = startOf(slice);
    return q === null
      ? this.#column(idsInOrder(status, descending), tenant, { after, count })
      : this.#column(idsOfPrefixInOrder(status, descending), tenant, { ...rangeOf(q), after, count });
  }

  async #isRare(tenant: Tenant, status: UserState | null): Promise<boolean> {
    if (status === null || status === "Active") return false;
    const [row] = await this.#reader.rows<{ common: boolean }>(isStateCommon(status), tenant);
    return row?.common === false;
  }

  /** Reads the users in a rare state in growing batches, until enough users hold the role. */
  async #walkRareState(tenant: Tenant, search: UserSearch, roleCode: string, slice: PageSlice): Promise<string[]> {
    const { count } = slice;
    const foundIds: string[] = [];
    let position = slice.after;
    for (let batchSize = 2 * count; ; batchSize = Math.min(batchSize * 8, maxBatchSize)) {
      const ids = await this.#walk(tenant, search, { ...slice, after: position, count: batchSize });
      foundIds.push(...(await this.#holding(tenant, roleCode, ids, slice)));
      if (foundIds.length >= count || ids.length < batchSize) return foundIds.slice(0, count);
      position = ids.at(-1) ?? position;
    }
  }

  /** All matches in id order; undefined when they are too many. */
  async #sortedMatches(tenant: Tenant, { status, email, q }: UserSearch): Promise<string[] | undefined> {
    if (email !== null) {
      const ids = await this.#column(idOfEmail(status), tenant, { email });
      return q === null || ids.length === 0 ? ids : this.#column(idsAmong(status), tenant, { ids, ...rangeOf(q) });
    }
    return q === null ? undefined : this.#sortedMatchesOfPrefix(tenant, status, q);
  }

  async #sortedMatchesOfPrefix(tenant: Tenant, status: UserState | null, q: string): Promise<string[] | undefined> {
    const statement = idsOfPrefix(status);
    const [row] = await this.#reader.rows<{ by_email: string[] | null; by_name: string[] | null }>(
      statement,
      tenant,
      ...statement.valuesOf(rangeOf(q)),
    );
    if (!row?.by_email || !row.by_name) return undefined;
    return [...new Set([...row.by_email, ...row.by_name])].sort();
  }

  /** The first `count` ids whose users hold the role. The batches grow, because the first one usually suffices. */
  async #holding(
    tenant: Tenant,
    roleCode: string,
    ids: readonly string[],
    { count, descending }: PageSlice,
  ): Promise<string[]> {
    const foundIds: string[] = [];
    for (
      let from = 0, batchSize = 2 * count;
      from < ids.length && foundIds.length < count;
      from += batchSize, batchSize *= 8
    ) {
      const principals = ids.slice(from, from + batchSize).map(principal);
      const holders = await this.#column(holdersAmong, tenant, { roleCode, principals });
      if (descending) holders.reverse();
      foundIds.push(...holders.flatMap((principalId) => decodeId("usr", principalId) ?? []));
    }
    return foundIds.slice(0, count);
  }

  /** Reads the role's holders in growing batches, until enough users match the other filters. */
  async #holders(tenant: Tenant, { status, q }: UserSearch, roleCode: string, slice: PageSlice): Promise<string[]> {
    const { count, descending } = slice;
    const foundIds: string[] = [];
    let after = principal(startOf(slice));
    for (let batchSize = count; ; batchSize = Math.min(batchSize * 4, maxBatchSize)) {
      const holders = await this.#column(holdersInOrder(descending), tenant, { roleCode, after, count: batchSize });
      const ids = holders.flatMap((principalId) => decodeId("usr", principalId) ?? []);
      foundIds.push(...(await this.#column(idsAmong(status, descending), tenant, { ids, ...rangeOf(q) })));
      if (foundIds.length >= count || holders.length < batchSize) return foundIds.slice(0, count);
      after = holders.at(-1) ?? after;
    }
  }

  /** The values in the result's only column. */
  async #column(statement: NamedStatement, tenant: Tenant, parameters: Readonly<Record<string, unknown>>) {
    const rows = await this.#reader.rows<Record<string, string>>(statement, tenant, ...statement.valuesOf(parameters));
    return rows.flatMap((row) => Object.values(row));
  }
}
