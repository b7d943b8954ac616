import { namedStatement } from "./named-parameters.js";

describe("a statement with named parameters", () => {
  const rename = namedStatement(
    "rename_boat",
    "update boats set name = $name, old_name = $oldName::text where boat_id = $boatId and name = $oldName",
  );

  it("is numbered by the first place of each name", () => {
    expect(rename.text).toBe("update boats set name = $1, old_name = $2::text where boat_id = $3 and name = $2");
    expect(rename.valuesOf({ boatId: 7, name: "Argo", oldName: null })).toEqual(["Argo", null, 7]);
  });

  it("begins at a later number", () => {
    expect(namedStatement("boat", "select from boats where boat_id = $boatId", 2).text).toContain("$2");
  });

  it("refuses values that it does not have, and wants all that it has", () => {
    expect(() => rename.valuesOf({ boatId: 7, name: "Argo" })).toThrow("differ in oldName");
    expect(() => rename.valuesOf({ boatId: 7, name: "Argo", oldName: "Aso", colour: 1 })).toThrow("differ in colour");
  });

  it("refuses numbers beside names, since both would mean the same parameter", () => {
    expect(namedStatement("boat", "tenant_id = $1 and boat_id = $boatId", 2).text).toBe(
      "tenant_id = $1 and boat_id = $2",
    );
    expect(() => namedStatement("boat", "select from boats where boat_id = $boatId and name = $1")).toThrow(
      "and numbers",
    );
  });
});
