import { readFileSync } from "node:fs";
import { spineRequirements } from "./spine-requirements.js";

describe("specification 002", () => {
  it.each(spineRequirements)("$says", ({ file, title }) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    expect(text.includes(JSON.stringify(title)) ? title : `no test of ${file} is called ${title}`).toBe(title);
  });

  it("has no requirement twice", () => {
    const sentences = spineRequirements.map(({ says }) => says);
    expect(sentences.length).toBe(new Set(sentences).size);
  });
});
