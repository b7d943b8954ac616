import { keyStatement } from "./key-statement.js";
import { KeyedReads } from "./keyed-reads.js";

const [note, tag] = [
  keyStatement("note", "select scope.tenant"),
  keyStatement("tag", "select scope.tenant", "text", "text"),
];

/** Reads with the statements that they send. Every key has a row but `gone`; the key `bad` fails. */
function reads() {
  const sent: [name: string, ...values: unknown[]][] = [];
  const keyedReads = new KeyedReads(async ({ name }, [tenant, ...values]) => {
    sent.push([name, tenant, ...values]);
    if (values.flat().includes("bad")) throw new Error("the key is bad");
    const isSeveral = name.startsWith("several_");
    const keys = isSeveral
      ? (values[0] as string[]).map((_, at) => values.map((part) => (part as string[])[at]))
      : [values];
    return keys
      .map((key, at) => ({ key: key.join(), ...(isSeveral && { key_place: at + 1 }) }))
      .filter((row) => row.key !== "gone")
      .reverse();
  });
  return { keyedReads, sent };
}

describe("reads by keys", () => {
  it("are one statement for what is asked for together, in the order of the keys, and equal keys are read once", async () => {
    const { keyedReads, sent } = reads();
    const later = Promise.resolve().then(() => keyedReads.row(note, "t", ["c"]));
    const rows = await Promise.all([...["a", "gone", "a"].map((key) => keyedReads.row(note, "t", [key])), later]);
    expect(rows).toEqual([{ key: "a" }, undefined, { key: "a" }, { key: "c" }]);
    expect(sent).toEqual([["several_note", "t", ["a", "gone", "c"]]]);
  });

  it("are the plain statement for one key", async () => {
    const { keyedReads, sent } = reads();
    expect(await keyedReads.row(tag, "t", ["a", "b"])).toEqual({ key: "a,b" });
    expect(await Promise.all([1, 2].map(() => keyedReads.row(note, "t", ["a"])))).toEqual([{ key: "a" }, { key: "a" }]);
    expect(await keyedReads.row(note, "t", ["gone"])).toBeUndefined();
    expect(sent).toEqual([
      ["tag", "t", "a", "b"],
      ["note", "t", "a"],
      ["note", "t", "gone"],
    ]);
  });

  it("keep tenants, statements and later reads apart", async () => {
    const { keyedReads, sent } = reads();
    const both = (tenant: string) => [keyedReads.row(note, tenant, ["a"]), keyedReads.row(tag, tenant, ["a", "b"])];
    await Promise.all([...both("t"), ...both("u")]);
    await keyedReads.row(note, "t", ["b"]);
    expect(sent.map(([name, tenant]) => `${name} ${String(tenant)}`)).toEqual([
      "note t",
      "tag t",
      "note u",
      "tag u",
      "note t",
    ]);
  });

  it("are several statements for more than 200 keys, of which one fails alone", async () => {
    const { keyedReads, sent } = reads();
    const keys = [...Array.from({ length: 250 }, (_, at) => `k${at}`), "bad"];
    const outcomes = await Promise.allSettled(keys.map((key) => keyedReads.row(note, "t", [key])));
    expect(sent.map(([, , names]) => (names as string[]).length)).toEqual([200, 51]);
    expect(outcomes.map(({ status }) => status)).toEqual(keys.map((_, at) => (at < 200 ? "fulfilled" : "rejected")));
    expect(outcomes[199]).toEqual({ status: "fulfilled", value: { key: "k199" } });
  });
});
