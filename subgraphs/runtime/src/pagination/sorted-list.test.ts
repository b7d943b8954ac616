import { nilUuid } from "../identifiers/nil-uuid.js";
import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import { CursorSeal } from "./cursor.js";
import { enumFilter, idFilter, sinceFilter } from "./list-filters.js";
import { type SortColumn, SortedList } from "./sorted-list.js";

interface Thing {
  readonly id: string;
  readonly name: string;
  readonly at: string;
}

const id: SortColumn<Thing> = { column: "thing_id", type: "uuid", of: (thing) => thing.id };
const things = new SortedList<Thing, string>({
  list: "things",
  columns: {
    at: { column: "made_at", type: "timestamptz", of: ({ at }) => at },
    name: { column: "name", type: "text", unique: true, of: ({ name }) => name },
  },
  id,
  byDefault: "-at",
  parameters: ["kind"],
  statement: (name, { place, after, order, limit }) =>
    `${name}: kind = ${place("kind")} ${after} order by ${order} limit ${limit}`,
});
const cursors = new CursorSeal(someMasterKeys(1).keyring("list cursors"));
const scope = { tenantId: "ten_1" };
const rows = [1, 2, 3].map((n) => ({ id: `id${n}`, name: `name${n}`, at: `at${n}` }));
const page = (sort?: string | null, after?: string | null) =>
  things.page(cursors, scope, { first: 2, sort, after }, { kind: "Boat" });
const cursorOf = (sort?: string) => page(sort).connection(rows).nextCursor ?? "";

describe("a sorted list", () => {
  it("is cut behind the last row by an index in its order, the id deciding between equal rows", () => {
    expect(page()).toMatchObject({
      statement: "things_by_made_at_desc: kind = $2  order by made_at desc, thing_id desc limit $3",
      values: ["Boat", 3],
    });
    expect(page("at", cursorOf("at"))).toMatchObject({
      statement:
        "things_by_made_at_asc_next: kind = $2 and (made_at, thing_id) > ($3::timestamptz, $4::uuid) order by made_at asc, thing_id asc limit $5",
      values: ["Boat", "at2", "id2", 3],
    });
    expect(page("-name", cursorOf("-name"))).toMatchObject({
      statement: "things_by_name_desc_next: kind = $2 and (name) < ($3::text) order by name desc limit $4",
      values: ["Boat", "name2", 3],
    });
  });

  it("is read from its end in the inverse order, with the cursors of its own order", () => {
    const backward = (before?: string) => things.page(cursors, scope, { last: 2, before }, { kind: "Boat" });
    expect(backward()).toMatchObject({
      statement: "things_by_made_at_asc: kind = $2  order by made_at asc, thing_id asc limit $3",
      values: ["Boat", 3],
    });
    const cursor = cursorOf();
    expect(backward(cursor)).toMatchObject({
      statement: expect.stringContaining("(made_at, thing_id) > ($3::timestamptz, $4::uuid)"),
      values: ["Boat", "at2", "id2", 3],
    });
    expect(backward(cursor).connection(rows)).toMatchObject({
      items: [rows[1], rows[0]],
      pageInfo: { hasNextPage: true, hasPreviousPage: true, endCursor: page().connection(rows).edges[0]?.cursor },
    });
    for (const sort of ["--at", "-", "unknown"])
      expect(() => things.page(cursors, scope, { last: 2, sort }, {})).toThrow("cannot be sorted");
  });

  it("takes no cursor of another order, and that of its default by either way of asking", () => {
    const invalidCursor = expect.objectContaining({ code: "INVALID_CURSOR" });
    for (const [cursorOrder, pageOrder] of [
      ["at", "-at"],
      ["name", "-name"],
      ["name", undefined],
      [undefined, "at"],
    ])
      expect(() => page(pageOrder, cursorOf(cursorOrder))).toThrow(invalidCursor);
    expect(page("-at", cursorOf()).values).toEqual(page(null, cursorOf("-at")).values);
  });

  it("refuses what it cannot be sorted by, and says what it can", () => {
    for (const sort of ["", "-", "At", "--at", "+at", "at,name", "id", "constructor"])
      expect(() => page(sort)).toThrow(
        expect.objectContaining({
          code: "VALIDATION_FAILED",
          facts: expect.objectContaining({
            errors: [{ pointer: "/sort", code: "UNKNOWN_VALUE", detail: "Must be one of at, -at, name, -name." }],
          }),
        }),
      );
  });
});

describe("the filters of a list", () => {
  const filtered = new SortedList<Thing, string>({
    list: "things",
    columns: { name: { column: "name", type: "text", unique: true, of: ({ name }) => name } },
    id,
    byDefault: "name",
    filters: {
      ownerId: idFilter("usr", "owner_id"),
      state: enumFilter({ New: {}, Old: {} }, "state"),
      since: sinceFilter("made_at"),
    },
    statement: (_, { filters, limit }) => `${filters} limit ${limit}`,
  });
  const filteredPage = (filter: object) => filtered.page(cursors, scope, { filter });

  it("are optional conditions with parameters after the tenant", () => {
    expect(filteredPage({ state: "Old" })).toMatchObject({
      statement:
        "and ($2::uuid is null or owner_id = $2) and ($3::text is null or state = $3) and ($4::timestamptz is null or made_at >= $4) limit $5",
      values: [null, "Old", null, 51],
      isEmpty: false,
    });
  });

  it("match nothing by an id that is not well formed", () => {
    expect(filteredPage({ ownerId: "usr_x" }).isEmpty).toBe(true);
  });

  it("refuse values that they do not allow, before the page size", () => {
    expect(() => filtered.page(cursors, scope, { first: 0, filter: { state: "Gone" } })).toThrow(
      expect.objectContaining({
        code: "PARAMETERS_INVALID",
        facts: expect.objectContaining({ errors: [expect.objectContaining({ pointer: "/filter/state" })] }),
      }),
    );
    expect(() => filteredPage({ since: "yesterday" })).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });

  it("bind the cursor", () => {
    const after = filtered.page(cursors, scope, { first: 2, filter: { state: "Old" } }).connection(rows).nextCursor;
    expect(() => filtered.page(cursors, scope, { after, filter: { state: "Old" } })).not.toThrow();
    expect(() => filtered.page(cursors, scope, { after, filter: { state: "New" } })).toThrow(
      expect.objectContaining({ code: "INVALID_CURSOR" }),
    );
  });

  it("bind the cursor to their parameters where an earlier release did so", () => {
    const definition = {
      ...{ list: "things", id, byDefault: "name" },
      columns: { name: { column: "name", type: "text", unique: true, of: ({ name }: Thing) => name } },
      statement: () => "",
    } as const;
    const former = new SortedList<Thing, string>(definition);
    const present = new SortedList<Thing, string>({
      ...definition,
      filters: { state: enumFilter(["New", "Old"], "state"), ownerId: idFilter("usr", "owner_id") },
      boundTo: (parameters) => ({ filter: Object.values(parameters) }),
    });
    const cursorFor = (filter: unknown[]) =>
      former.page(cursors, { ...scope, filter }, { first: 2 }).connection(rows).nextCursor;
    const opened = (filter: object, after: string | null) => present.page(cursors, scope, { after, filter });
    expect(opened({ state: "Old" }, cursorFor(["Old", null])).values).toContain("name2");
    expect(() => opened({ state: "Old" }, cursorFor(["New", null]))).toThrow(
      expect.objectContaining({ code: "INVALID_CURSOR" }),
    );
    expect(opened({ ownerId: "usr_x" }, cursorFor([null, nilUuid])).isEmpty).toBe(true);
  });
});
