import { localeChain } from "./locale-chain.js";

describe("the locales of a text", () => {
  it.each([
    [
      ["de-CH-1996", "fr-CA"],
      ["de-CH-1996", "de-CH", "de", "fr-CA", "fr"],
    ],
    [["zh-hant-tw"], ["zh-Hant-TW", "zh-Hant", "zh"]],
    [
      ["de-CH", "de"],
      ["de-CH", "de"],
    ],
    [["en-a-myext-b-another"], ["en-a-myext-b-another", "en-a-myext", "en"]],
    [[null, undefined, "fr"], ["fr"]],
    [["not a tag", "x".repeat(100_000), "", "../en", "constructor"], []],
  ])("of %j are tried from the nearest to the widest", (tags, expectedLocales) => {
    expect(localeChain(...tags)).toEqual(expectedLocales);
  });
});
