import { DomainError } from "../errors/domain-error.js";
import { type Preconditions, requirePreconditions, versionTag } from "./preconditions.js";

function result(conditions: Preconditions, version: number | undefined): string {
  try {
    requirePreconditions(conditions, version);
    return "done";
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

describe("If-Match", () => {
  it.each([
    ['"7"', 7, "done"],
    ['"6", "7"', 7, "done"],
    [' "6" ,, "7" ,', 7, "done"],
    ["*", 7, "done"],
    [" * ", 7, "done"],
    ['"6"', 7, "PRECONDITION_FAILED"],
    ['W/"7"', 7, "PRECONDITION_FAILED"],
    ['W/"7", "7"', 7, "done"],
    ['"7"', undefined, "PRECONDITION_FAILED"],
    ["*", undefined, "PRECONDITION_FAILED"],
    ['"07"', 7, "PRECONDITION_FAILED"],
    ['""', 7, "PRECONDITION_FAILED"],
  ])("%s against version %s: %s", (ifMatch, version, expectedResult) => {
    expect(result({ ifMatch }, version)).toBe(expectedResult);
  });

  it.each(["7", "", " ", ",", '"7', '7"', '"7" "8"', "*, *", '*, "7"', 'w/"7"', '"a b"', `"${"x".repeat(3000)}"`])(
    "refuses %j",
    (ifMatch) => {
      expect(result({ ifMatch }, 7)).toBe("VALIDATION_FAILED");
    },
  );

  it("reads a long list of empty items in linear time", () => {
    expect(result({ ifMatch: `${" ,".repeat(1000)}"7"` }, 7)).toBe("done");
  });
});

describe("If-None-Match", () => {
  it.each([
    ["*", undefined, "done"],
    ["*", 1, "PRECONDITION_FAILED"],
    ['"1"', 1, "PRECONDITION_FAILED"],
    ['W/"1"', 1, "PRECONDITION_FAILED"],
    ['"2"', 1, "done"],
  ])("%s against version %s: %s", (ifNoneMatch, version, expectedResult) => {
    expect(result({ ifNoneMatch }, version)).toBe(expectedResult);
  });
});

describe("requirePreconditions", () => {
  it("requires nothing without a header", () => {
    expect(result({ ifMatch: null }, undefined)).toBe("done");
  });

  it("checks If-Match first, and then If-None-Match", () => {
    expect(result({ ifMatch: versionTag(1), ifNoneMatch: "*" }, 1)).toBe("PRECONDITION_FAILED");
    expect(result({ ifMatch: "x", ifNoneMatch: "*" }, 1)).toBe("VALIDATION_FAILED");
  });

  it("tells the current version", () => {
    expect(() => requirePreconditions({ ifMatch: versionTag(1) }, 2)).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ currentVersion: 2 }) }),
    );
  });

  it("that expect none are met by no resource, and by what the platform brings", () => {
    for (const version of [undefined, 0])
      expect(() => requirePreconditions({ expectsNone: true }, version)).not.toThrow();
    expect(() => requirePreconditions({ expectsNone: true }, 1)).toThrow("Its current version is 1.");
  });
});
