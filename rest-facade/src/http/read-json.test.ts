import { DomainError } from "@factory/runtime/errors/domain-error";
import { requestJsonLimit } from "@factory/runtime/input-validation/json-size";
import { readingJson, readJson } from "./read-json.js";

describe("a body that is not JSON", () => {
  it.each([
    ['{"name": "a", category: "b"}', "The body is not JSON: see line 1, column 15."],
    ['{"name":\n  "a",}', "The body is not JSON: see line 2, column 7."],
    ['{"name": "a', "The body is not JSON: the text ends too early."],
    ["[1,", "The body is not JSON: the text ends too early."],
    ["(line 1 column 2)", "The body is not JSON."],
    ["name=a", "The body is not JSON."],
  ])("is refused with the place, if the parser reports it: %s", (body, detail) => {
    expect(() => readJson(Buffer.from(body))).toThrow(new DomainError("MALFORMED_JSON", { detail }));
  });
});

describe("a large body", () => {
  const { members, values } = requestJsonLimit;
  const withMembers = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(",")}`;
  const withItems = (count: number) => `[${Array.from({ length: count }, () => "[]").join(",")}`;

  it.each([
    ["members", withMembers(members + 1), "Must have at most 20,000 members in the whole JSON document."],
    ["values", withItems(values / 2 + 1), "Must have at most 50,000 values in the whole JSON document."],
  ])("with too many %s is refused before it is parsed, since parsing holds the event loop", (part, text, detail) => {
    // the closing bracket is missing, so a parser would call it malformed
    expect(() => readJson(Buffer.from(text))).toThrow(
      new DomainError("PAYLOAD_TOO_LARGE", {
        detail: `The body has too many ${part}. Send the data in several requests.`,
        errors: [{ pointer: "", code: "TOO_LONG", detail }],
      }),
    );
  });

  it("with as many members and values as allowed is read", () => {
    expect(Object.keys(readJson(Buffer.from(`${withMembers(members)}}`)) as object)).toHaveLength(members);
    expect(readJson(Buffer.from(`${withItems(values / 2 - 1)}]`))).toHaveLength(values / 2 - 1);
  });

  it("may have any number of colons and commas in its texts", () => {
    const text = ":,[{".repeat(members + values);
    expect(readJson(Buffer.from(JSON.stringify({ text })))).toEqual({ text });
  });

  it("is read in several turns, of which one is for the parser alone", () => {
    const text = `${withMembers(members - 1)},"text":"${"x".repeat(700_000)}"}`;
    const sizes: unknown[] = [];
    const reading = readingJson(Buffer.from(text), (size) => sizes.push(size));
    let pauses = 0;
    let step = reading.next();
    for (; !step.done; step = reading.next()) pauses += 1;
    // the pauses in the count, two around the parser, some in the search for numbers, and one after it
    const ofCount = Math.floor((text.length - 1) / (16 * 1024));
    expect(pauses).toBeGreaterThanOrEqual(ofCount + 3);
    expect(pauses).toBeLessThanOrEqual(2 * ofCount + 3);
    expect(step.value).toEqual(JSON.parse(text));
    expect(sizes).toEqual([expect.objectContaining({ members, values: members })]);
  });

  it("is read in several turns where it is short and has many members", () => {
    expect([...readingJson(Buffer.from(`${withMembers(1001)}}`))]).toHaveLength(3);
  });

  it("with numbers that are kept is read with pauses, since that takes longer than the parser", () => {
    const text = `[${"1e400,-0,1.0,".repeat(15_000)}1]`;
    const reading = readingJson(Buffer.from(text));
    let pauses = 0;
    let step = reading.next();
    for (; !step.done; step = reading.next()) pauses += 1;
    expect(pauses).toBeGreaterThan(45_000 / 200);
    expect(JSON.stringify(step.value)).toBe(text);
  });

  it("that is malformed is refused in the same way", () => {
    const text = `[${"[],".repeat(6_000)}`;
    expect(() => readJson(Buffer.from(text))).toThrow(expect.objectContaining({ code: "MALFORMED_JSON" }));
  });

  it("is read at once where it is small", () => {
    expect(readingJson(Buffer.from(`${withMembers(1000)}}`)).next().done).toBe(true);
  });
});
