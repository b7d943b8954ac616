import { readFileSync } from "node:fs";
import { integrationRequirements } from "./integration-requirements.js";

describe("specification 001", () => {
  it.each(integrationRequirements)("$says", ({ file, title }) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    expect(text.includes(JSON.stringify(title)) ? title : `no test of ${file} is called ${title}`).toBe(title);
  });

  it("has no requirement twice", () => {
    const sentences = integrationRequirements.map(({ says }) => says);
    expect(sentences.length).toBe(new Set(sentences).size);
  });
});
