import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import { columnsOf, type RowOf, rowReader } from "./entity-rows.js";
import { wireId } from "./wire-id-type.js";

@Entity({ tableName: "boats" })
class Boat {
  [PrimaryKeyProp]?: ["tenantId", "userId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("usr") })
  userId: string;

  @Property({ type: "text", nullable: true })
  displayName?: string | null;

  @Property({ type: "timestamptz", nullable: true })
  soldAt: Date | null;
}

const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";

describe("the rows of an entity", () => {
  it("has the columns in the order of the class", () => {
    expect(columnsOf(Boat)).toBe("tenant_id, user_id, display_name, sold_at");
    expect(columnsOf(Boat, ["soldAt", "userId"], "boats")).toBe("boats.user_id, boats.sold_at");
  });

  it("reads ids with their prefixes, and times as dates", () => {
    const row: RowOf<Boat> = {
      tenant_id: uuid,
      user_id: uuid,
      display_name: null,
      sold_at: "2026-01-02 03:04:05.678+00",
    };
    const boat = rowReader(Boat)({ ...row, extra: 1 });
    expect(boat).toEqual({
      tenantId: expect.stringMatching(/^ten_/),
      userId: expect.stringMatching(/^usr_/),
      displayName: null,
      soldAt: new Date("2026-01-02T03:04:05.678Z"),
    });
  });

  it("reads a part of a row", () => {
    const { displayName, ...others } = rowReader(Boat)({ display_name: "Argo" });
    expect([displayName, others]).toEqual(["Argo", {}]);
    // @ts-expect-error: the column was not read
    expect(rowReader(Boat)({ display_name: "Argo" }).soldAt).toBeUndefined();
  });

  it("knows the columns by type", () => {
    const row: Pick<RowOf<Boat>, "display_name"> = { display_name: "Argo" };
    // @ts-expect-error: no entity member has this column
    const unknown: Partial<RowOf<Boat>> = { name: "Argo" };
    expect([row.display_name, Object.keys(unknown)]).toEqual(["Argo", ["name"]]);
  });

  it("refuses a class that is no entity", () => {
    expect(() => columnsOf(Date)).toThrow("not an entity");
  });
});
