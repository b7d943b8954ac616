import { allSecondSpellings, entityColumns, secondSpellings } from "./column-spellings.js";

const entity = `@Entity({ tableName: "boats" })
class Boat {
  @PrimaryKey({ type: "uuid" }) boatId: string;
  @Property({ type: "text" }) name: string;
  @Property({ type: "text" }) homePort: string;
  @Property({ type: "integer" }) crewSize: number;
}`;

/** Rows that cannot follow their entity, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "subgraphs/integration/src/connections/connections/awaited-credential/awaited-credential.ts":
    "the entity stands in the folder above, which imports this one",
  "subgraphs/integration/src/deliveries/refused-deliveries/refused-deliveries.service.ts":
    "sums of several rows, under the names of their columns",
  "subgraphs/spine/src/reports/reports/contents/stored-reports.ts":
    "the entity stands in a folder that imports this one",
};

describe("a column", () => {
  it("is spelled once, in its entity", async () => {
    const { entities, spellings } = await allSecondSpellings();
    expect(entities).toBeGreaterThan(60);
    const violations = spellings.filter(({ file }) => !(file in exceptions));
    expect(violations.map(({ file, line, entity }) => `${file}:${line} repeats ${entity}`)).toEqual([]);
    expect(new Set(spellings.map(({ file }) => file))).toEqual(new Set(Object.keys(exceptions)));
  });

  const boats = entityColumns("boat.entity.ts", entity);
  const linesIn = (source: string) => secondSpellings("a.ts", source, boats).map(({ line }) => line);

  it.each([
    [
      "an interface",
      "\ninterface BoatRow { boat_id: string; name: string; home_port: string; crew_size: number }",
      [2],
    ],
    ["a type", "type BoatRow = { boat_id: string; name: string; home_port: string; crew_size: number };", [1]],
    ["a list", 'const columns = "boat_id, name, home_port, crew_size";', [1]],
    ["a list of several lines", "const columns = `boat_id, name,\n  home_port, crew_size`;", [1]],
  ])("is found a second time in %s", (_, source, lines) => {
    expect(linesIn(source)).toEqual(lines);
  });

  it.each([
    [
      "a computed column",
      "interface R { boat_id: string; name: string; home_port: string; crew_size: number; age: number }",
    ],
    ["a few columns", 'const columns = "boat_id, name, home_port";'],
    ["a statement", "const insert = `insert into boats (boat_id, name, home_port, crew_size) values (1)`;"],
  ])("may be named in %s", (_, source) => {
    expect(linesIn(source)).toEqual([]);
  });
});
