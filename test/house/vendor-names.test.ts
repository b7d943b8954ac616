import { readFile } from "node:fs/promises";
import { isForTests, isGenerated, root, trackedFiles } from "./tracked-files.js";
import { presetFiles, vendorData, vendorNames, vendorsInCode } from "./vendor-names.js";

let vendors: string[];

beforeAll(async () => {
  const presets = await Promise.all(presetFiles.map((file) => readFile(root + file, "utf8")));
  vendors = presets.flatMap(vendorNames);
});

describe("the names of vendors", () => {
  it("stand in no code of the product outside of the data about vendors", async () => {
    expect(vendors).toEqual(expect.arrayContaining(["github", "slack", "stripe", "openai"]));
    expect(vendors).not.toContain("webhook");
    const files = trackedFiles().filter(
      (file) => /\/src\/.*\.ts$/.test(file) && !isForTests(file) && !isGenerated(file) && !vendorData.includes(file),
    );
    expect(files.length).toBeGreaterThan(500);
    const vendorTexts = await Promise.all(
      files.map(async (file) => vendorsInCode(file, await readFile(root + file, "utf8"), vendors)),
    );
    expect(vendorTexts.flat()).toEqual([]);
  });

  it.each([
    ['if (key === "github") run();', 1],
    ['switch (preset) { case "slack": run(); }', 1],
    ['const secret = headers["x-gitlab-token"];', 1],
    ["const signed = /^stripe-/.test(name);", 1],
    ["const rules = { twilio: run };", 1],
    ["const verifyGithub = run;", 1],
    ["// GitHub does so\nrun();", 0],
    ['run("Send the secret of GitHub here.");', 0],
    ['if (scheme.kind === "hmac") run();', 0],
  ])("in `%s` count %i times", (source, count) => {
    expect(vendorsInCode("one.ts", source, vendors)).toHaveLength(count);
  });
});
