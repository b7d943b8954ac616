import { waitPreference } from "./wait-preference.js";

describe("the preference wait of the header Prefer", () => {
  it.each<[header: string | string[] | undefined, seconds: number | undefined]>([
    [undefined, undefined],
    ["wait=10", 10],
    ['Wait = "10"', 10],
    ["respond-async, wait=5; exactly", 5],
    [["return=minimal", "wait=7"], 7],
    ["wait=3, wait=9", 3],
    ["wait", undefined],
    ["wait=soon", undefined],
    ["wait=-1", undefined],
    ["wait=1.5", undefined],
    ["waiting=4", undefined],
    [",,;", undefined],
    ["wait=9999999999", undefined],
  ])("%j asks for %j seconds", (header, seconds) => {
    expect(waitPreference(header)).toBe(seconds);
  });
});
