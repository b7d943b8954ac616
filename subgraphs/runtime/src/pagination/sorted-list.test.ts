import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import { CursorSeal } from "./cursor.js";
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
  firstParameter: 3,
  statement: (name, { after, order, limit }) => `${name}: ${after} order by ${order} limit ${limit}`,
});
const cursors = new CursorSeal(someMasterKeys(1).keyring("list cursors"));
const scope = { tenantId: "ten_1" };
const rows = [1, 2, 3].map((n) => ({ id: `id${n}`, name: `name${n}`, at: `at${n}` }));
const page = (sort?: string | null, after?: string | null) => things.page(cursors, scope, { first: 2, sort, after });
const cursorOf = (sort?: string) => page(sort).connection(rows).nextCursor ?? "";

describe("a sorted list", () => {
  it("is cut behind the last row by an index in its order, the id deciding between equal rows", () => {
    expect(page()).toMatchObject({
      statement: "things_by_made_at_desc:  order by made_at desc, thing_id desc limit $3",
      values: [3],
    });
    expect(page("at", cursorOf("at"))).toMatchObject({
      statement:
        "things_by_made_at_asc_next: and (made_at, thing_id) > ($3::timestamptz, $4::uuid) order by made_at asc, thing_id asc limit $5",
      values: ["at2", "id2", 3],
    });
    expect(page("-name", cursorOf("-name"))).toMatchObject({
      statement: "things_by_name_desc_next: and (name) < ($3::text) order by name desc limit $4",
      values: ["name2", 3],
    });
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
