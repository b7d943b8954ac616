import { ExpectedVersion, ExpectedVersionOrNone, preconditionsOf } from "./expected-version.js";

const change = (members: Partial<ExpectedVersion>) => Object.assign(new ExpectedVersion(), members);
const creation = (members: Partial<ExpectedVersionOrNone>) => Object.assign(new ExpectedVersionOrNone(), members);

describe("an expected version", () => {
  it("is the entity tag of that version", () => {
    for (const args of [change({ expectedVersion: 7 }), creation({ expectedVersion: 7 })])
      expect(preconditionsOf(args)).toEqual({ ifMatch: '"7"' });
  });

  it("that is 0 is an object that does not exist, which only a creation can expect", () => {
    expect(preconditionsOf(creation({ expectedVersion: 0 }))).toEqual({ expectsNone: true });
    expect(preconditionsOf(change({ expectedVersion: 0 }))).toEqual({ ifMatch: '"0"' });
  });

  it("leaves the former arguments as they are where it is absent", () => {
    expect(preconditionsOf(creation({ ifMatch: "*", ifNoneMatch: null }))).toEqual({ ifMatch: "*", ifNoneMatch: null });
    expect(preconditionsOf(change({ expectedVersion: null }))).toEqual({});
  });

  it("is refused beside a former argument", () => {
    for (const args of [
      change({ expectedVersion: 1, ifMatch: "*" }),
      creation({ expectedVersion: 0, ifNoneMatch: "*" }),
    ])
      expect(() => preconditionsOf(args)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });
});
