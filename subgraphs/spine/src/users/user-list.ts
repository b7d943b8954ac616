import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { UserState } from "./user.states.js";
import type { UserRow } from "./user.view.js";
import {
  commonState,
  holdersAmong,
  holdersInOrder,
  idOfEmail,
  idsAmong,
  idsInOrder,
  idsOfPrefix,
  idsOfPrefixInOrder,
  usersOfIds,
} from "./user-list-statement.js";

export interface UserSearch {
  readonly status: UserState | null;
  /** As keys: see emailKey. */
  readonly email: string | null;
  readonly roleCode: string | null;
  readonly q: string | null;
}

/** The next `count` ids after one; after none from the first one on. */
interface Stretch {
  readonly after: string | undefined;
  readonly count: number;
  readonly descending: boolean;
}

const lowestId = "00000000-0000-0000-0000-000000000000";
const highestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const startOf = ({ after, descending }: Stretch) => after ?? (descending ? highestId : lowestId);

/** Nothing that begins with a text comes after the text and the last character there is. */
const endOf = (prefix: string) => `${prefix}\u{10ffff}`;

const principal = (userId: string) => encodeId("usr", userId);
const mostHoldersAtOnce = 4000;

/** Lists of users: first the ids of a page, by the narrowest way there is, then their rows with their roles. */
export class UserList {
  readonly #reader: TenantReader;

  constructor(reader: TenantReader) {
    this.#reader = reader;
  }

  async page(tenant: Tenant, search: UserSearch, stretch: Stretch): Promise<UserRow[]> {
    const ids = await this.#ids(tenant, search, stretch);
    if (ids.length === 0) return [];
    const rows = await this.#reader.rows<UserRow>(usersOfIds, tenant, ids, ids.map(principal));
    return stretch.descending ? rows.reverse() : rows;
  }

  async #ids(tenant: Tenant, search: UserSearch, stretch: Stretch): Promise<string[]> {
    // nothing is left of the deleted that could be searched for
    if (search.status === "Deleted" && (search.email !== null || search.q !== null)) return [];
    const few = await this.#few(tenant, search);
    if (few) {
      const start = startOf(stretch);
      const left = stretch.descending ? few.filter((id) => id < start).reverse() : few.filter((id) => id > start);
      return search.roleCode === null
        ? left.slice(0, stretch.count)
        : this.#holding(tenant, search.roleCode, left, stretch);
    }
    if (search.roleCode === null) return this.#walk(tenant, search, stretch);
    return (await this.#isRare(tenant, search.status))
      ? this.#walkHolding(tenant, search, search.roleCode, stretch)
      : this.#holders(tenant, search, search.roleCode, stretch);
  }

  #walk(tenant: Tenant, { status, q }: UserSearch, stretch: Stretch): Promise<string[]> {
    const { count, descending } = stretch;
    return q === null
      ? this.#column(idsInOrder(status, descending), tenant, startOf(stretch), count)
      : this.#column(idsOfPrefixInOrder(status, descending), tenant, q, endOf(q), startOf(stretch), count);
  }

  async #isRare(tenant: Tenant, status: UserState | null): Promise<boolean> {
    if (status === null || status === "Active") return false;
    const [found] = await this.#reader.rows<{ common: boolean }>(commonState(status), tenant);
    return found?.common === false;
  }

  /** Along those of a rare state, more at once each time that few of them hold the role. */
  async #walkHolding(tenant: Tenant, search: UserSearch, roleCode: string, stretch: Stretch): Promise<string[]> {
    const { count } = stretch;
    const found: string[] = [];
    let position = stretch.after;
    for (let atOnce = 2 * count; ; atOnce = Math.min(atOnce * 8, mostHoldersAtOnce)) {
      const ids = await this.#walk(tenant, search, { ...stretch, after: position, count: atOnce });
      found.push(...(await this.#holding(tenant, roleCode, ids, stretch)));
      if (found.length >= count || ids.length < atOnce) return found.slice(0, count);
      position = ids.at(-1) ?? position;
    }
  }

  /** All matches, sorted, where they are few. */
  async #few(tenant: Tenant, { status, email, q }: UserSearch): Promise<string[] | undefined> {
    if (email !== null) {
      const found = await this.#column(idOfEmail(status), tenant, email);
      return q === null || found.length === 0 ? found : this.#column(idsAmong(status), tenant, found, q, endOf(q));
    }
    return q === null ? undefined : this.#fewOfPrefix(tenant, status, q);
  }

  async #fewOfPrefix(tenant: Tenant, status: UserState | null, q: string): Promise<string[] | undefined> {
    const [found] = await this.#reader.rows<{ by_email: string[] | null; by_name: string[] | null }>(
      idsOfPrefix(status),
      tenant,
      q,
      endOf(q),
    );
    if (!found?.by_email || !found.by_name) return undefined;
    return [...new Set([...found.by_email, ...found.by_name])].sort();
  }

  /** The first of these who hold the role: some at first, because mostly that will do. */
  async #holding(
    tenant: Tenant,
    roleCode: string,
    ids: readonly string[],
    { count, descending }: Stretch,
  ): Promise<string[]> {
    const found: string[] = [];
    for (let from = 0, atOnce = 2 * count; from < ids.length && found.length < count; from += atOnce, atOnce *= 8) {
      const asked = ids.slice(from, from + atOnce).map(principal);
      const held = await this.#column(holdersAmong, tenant, roleCode, asked);
      if (descending) held.reverse();
      found.push(...held.flatMap((principalId) => decodeId("usr", principalId) ?? []));
    }
    return found.slice(0, count);
  }

  /** Along those who hold the role, more at once each time that few of them fit the other filters. */
  async #holders(tenant: Tenant, { status, q }: UserSearch, roleCode: string, stretch: Stretch): Promise<string[]> {
    const { count, descending } = stretch;
    const found: string[] = [];
    let position = principal(startOf(stretch));
    for (let atOnce = count; ; atOnce = Math.min(atOnce * 4, mostHoldersAtOnce)) {
      const held = await this.#column(holdersInOrder(descending), tenant, roleCode, position, atOnce);
      const ids = held.flatMap((principalId) => decodeId("usr", principalId) ?? []);
      found.push(...(await this.#column(idsAmong(status, descending), tenant, ids, q, q === null ? null : endOf(q))));
      if (found.length >= count || held.length < atOnce) return found.slice(0, count);
      position = held.at(-1) ?? position;
    }
  }

  /** The only column of what a statement gives. */
  async #column(statement: Parameters<TenantReader["rows"]>[0], tenant: Tenant, ...values: unknown[]) {
    const rows = await this.#reader.rows<Record<string, string>>(statement, tenant, ...values);
    return rows.flatMap((row) => Object.values(row));
  }
}
