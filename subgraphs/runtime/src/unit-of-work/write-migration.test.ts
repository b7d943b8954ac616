import { withListed, withoutUnchangedFunctions } from "./write-migration.js";

describe("the list of migrations", () => {
  const list =
    'import { First } from "./First.js";\n\n/** In their order. */\nexport const migrations = [\n  First,\n];\n';

  it("gets a new one at its end", () => {
    expect(withListed(list, "Second")).toBe(
      'import { First } from "./First.js";\nimport { Second } from "./Second.js";\n\n/** In their order. */\nexport const migrations = [\n  First,\n  Second,\n];\n',
    );
  });

  it("is not changed when it has another form", () => {
    expect(() => withListed("export const migrations = [];", "Second")).toThrow("does not end with");
  });
});

describe("the way back of a migration", () => {
  const migration = (up: string, ...down: string[]) =>
    `class A {\n  override up() {\n    this.addSql(\`${up}\`);\n  }\n\n  override down() {\n${down
      .map((sql) => `    this.addSql(\`${sql}\`);\n`)
      .join("\n")}  }\n}\n`;
  const [addColumn, dropColumn, makeFunction] = ["alter a add b", "alter a drop b", "create or replace function f"];

  it("has no function that the migration does not change", () => {
    expect(withoutUnchangedFunctions(migration(addColumn, dropColumn, makeFunction, makeFunction))).toBe(
      migration(addColumn, dropColumn),
    );
  });

  it("has the functions of a migration that changes some", () => {
    const changing = migration(makeFunction, dropColumn, makeFunction);
    expect(withoutUnchangedFunctions(changing)).toBe(changing);
  });
});
