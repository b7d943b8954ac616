import { type AuthenticationLevel, levelOfMethods, satisfiesLevel } from "@factory/schema/authentication-levels";
import { neededLevel, needsSecondFactor } from "./needed-level.js";

const password = "urn:factory:acr:password";
const second = "urn:factory:acr:second-factor";
const resistant = "urn:factory:acr:phishing-resistant";

describe("the level of a sign-in", () => {
  it.each<[string[], AuthenticationLevel]>([
    [["pwd"], password],
    [["pwd", "otp", "mfa"], second],
    [["pwd", "hwk", "user", "mfa"], resistant],
    [["swk", "user", "mfa"], resistant],
    [["pwd", "hwk"], password],
    [[], password],
  ])("follows from its methods: %j", (methods, level) => {
    expect(levelOfMethods(methods)).toBe(level);
  });

  it("satisfies itself and weaker ones, and an unknown one satisfies nothing", () => {
    const levels = [password, second, resistant] as const;
    expect(levels.map((reachedLevel) => levels.filter((level) => satisfiesLevel(reachedLevel, level)).length)).toEqual([
      1, 2, 3,
    ]);
    for (const unknown of [undefined, "", "urn:mace:incommon:iap:silver", `${second} `])
      expect(satisfiesLevel(unknown, password)).toBe(false);
  });
});

describe("the level that a sign-in needs", () => {
  it.each<[unknown, boolean, AuthenticationLevel]>([
    [undefined, false, password],
    [undefined, true, second],
    [second, false, second],
    [`${resistant} ${second}`, false, second],
    [resistant, true, resistant],
    [password, true, second],
    ["urn:other", false, password],
    [["urn:factory:acr:second-factor"], false, password],
  ])("with acr_values %j, and required %j, is %s", (acrValues, isRequired, level) => {
    expect(neededLevel(acrValues, isRequired)).toBe(level);
    expect(needsSecondFactor(level)).toBe(level !== password);
  });
});
