import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { matchesFilter, SharedWork } from "./event-filter.js";
import { filterProblems } from "./filter-problems.js";

const envelope = {
  type: "RunFailed",
  subject: "runs/run_1",
  time: "2026-01-05T10:00:00.500Z",
  data: {
    status: "Failed",
    attempts: 3,
    retried: false,
    ended: null,
    tags: ["urgent", "billing"],
    steps: [
      { name: "build", ms: 10 },
      { name: "test", ms: 900 },
    ],
    owner: { tier: "premium" },
  },
};

const data = (condition: object) => ({ data: condition });

test.each<[string, Record<string, unknown>, boolean]>([
  ["an attribute", { type: "RunFailed" }, true],
  ["another value of an attribute", { type: "RunStarted" }, false],
  ["an attribute that is absent", { projectid: "p" }, false],
  ["several members", data({ status: "Failed", attempts: 3 }), true],
  ["several members, one of which differs", data({ status: "Failed", attempts: 4 }), false],
  ["a nested member", data({ owner: { tier: "premium" } }), true],
  ["a member of a text", data({ status: { tier: "premium" } }), false],
  ["an inherited property", data({ constructor: { $exist: true } }), false],
  ["a number as text", data({ attempts: "3" }), false],
  ["false", data({ retried: false }), true],
  ["null", data({ ended: null }), true],
  ["null for an absent member", data({ missing: null }), false],
  ["an item of a list", data({ tags: "urgent" }), true],
  ["no item of a list", data({ tags: "calm" }), false],
  ["one object of a list", data({ steps: { name: "test", ms: { $gt: 500 } } }), true],
  ["members of two objects of a list", data({ steps: { name: "build", ms: { $gt: 500 } } }), false],
  ["$eq", data({ attempts: { $eq: 3 } }), true],
  ["$neq", data({ attempts: { $neq: 3 } }), false],
  ["$neq of an absent member", data({ missing: { $neq: 3 } }), true],
  ["a range", data({ attempts: { $gte: 3, $lt: 4 } }), true],
  ["a range without the value", data({ attempts: { $gt: 3, $lte: 4 } }), false],
  ["an order between kinds", data({ status: { $gt: 1 } }), false],
  ["an order of texts", data({ status: { $gt: "Completed", $lt: "Gone" } }), true],
  ["a time without milliseconds", { time: { $gte: "2026-01-05T10:00:00Z", $lt: "2026-01-05T10:00:01Z" } }, true],
  ["a time in another zone", { time: { $gte: "2026-01-05T11:00:00+01:00" } }, true],
  ["a later time", { time: { $gt: "2026-01-05T10:00:00.500Z" } }, false],
  ["$in", data({ status: { $in: ["Failed", "TimedOut"] } }), true],
  ["$in for a list", data({ tags: { $in: ["calm", "billing"] } }), true],
  ["$in with a text", { subject: { $in: "run_" } }, true],
  ["$nin", data({ status: { $nin: ["Failed", "TimedOut"] } }), false],
  ["$nin for a list", data({ tags: { $nin: ["calm"] } }), true],
  ["$startsWith", { subject: { $startsWith: "runs/" } }, true],
  ["$startsWith with several texts", { subject: { $startsWith: ["jobs/", "runs/"] } }, true],
  ["$startsWith of a number", data({ attempts: { $startsWith: "3" } }), false],
  ["$endsWith", { subject: { $endsWith: "_2" } }, false],
  ["$exist", data({ owner: { $exist: true }, missing: { $exist: false } }), true],
  ["$exist of null", data({ ended: { $exist: false } }), false],
  ["$or", { $or: [data({ status: "Completed" }), { type: "RunFailed" }] }, true],
  ["$or of values", data({ status: { $or: ["Completed", { $startsWith: "Fai" }] } }), true],
  ["$or without a match", { $or: [data({ status: "Completed" }), { type: "RunStarted" }] }, false],
  ["$and", { $and: [data({ status: "Failed" }), data({ attempts: { $gte: 4 } })] }, false],
  ["$not of an operator", data({ status: { $not: { $in: ["Cancelled"] } } }), true],
  ["$not of a condition", { $not: data({ status: "Failed" }) }, false],
])("%s", (_, filter, matches) => {
  expect(filterProblems(filter, "")).toEqual([]);
  expect(matchesFilter(filter, envelope)).toBe(matches);
});

const numbers = parseForeignJson(
  '{"data":{"id":9007199254740993,"list":[1.0,2.50],"big":1e400,"zero":-0,"text":"1.0","plain":5}}',
) as object;

test.each<[string, string, boolean]>([
  ["a number beyond 2^53", '{"id":9007199254740993}', true],
  ["its neighbor", '{"id":9007199254740992}', false],
  ["a number in another form", '{"list":1,"zero":0,"plain":5.0,"big":10e399}', true],
  ["an item of a list that is kept", '{"list":{"$in":[3,2.5]}}', true],
  ["no item of a list", '{"list":{"$in":[3,2.51]}}', false],
  ["a range beyond 2^53", '{"id":{"$gt":9007199254740992,"$lt":9007199254740994}}', true],
  ["a range of numbers that are too large", '{"big":{"$gt":1e399,"$lte":1e400}}', true],
  ["the same range without the number", '{"big":{"$gt":1e400}}', false],
  ["a text", '{"text":1.0}', false],
  ["a number as text", '{"list":"1.0"}', false],
  ["a member of a number", '{"id":{"rawJSON":{"$exist":true}}}', false],
])("kept numbers are compared by their value: %s", (_, text, matches) => {
  const filter = data(parseForeignJson(text) as object) as Record<string, unknown>;
  expect(filterProblems(filter, "")).toEqual([]);
  expect(matchesFilter(filter, numbers)).toBe(matches);
});

const nest = (levels: number): object => (levels === 0 ? { a: 1 } : { a: nest(levels - 1) });
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`m${place}`, 1]));

test.each<[string, Record<string, unknown>, string, string]>([
  ["an unknown operator", data({ status: { $like: "x" } }), "/input/filter/data/status/$like", "UNKNOWN_VALUE"],
  ["an inherited name as operator", { $constructor: [] }, "/input/filter/$constructor", "UNKNOWN_VALUE"],
  [
    "an unknown operator inside a list",
    { $or: [{ type: { $re: "x" } }] },
    "/input/filter/$or/0/type/$re",
    "UNKNOWN_VALUE",
  ],
  ["an unknown attribute", { topic: "x" }, "/input/filter/topic", "UNKNOWN_VALUE"],
  ["a list as value", data({ tags: ["a"] }), "/input/filter/data/tags", "TYPE"],
  ["an object for $eq", data({ a: { $eq: {} } }), "/input/filter/data/a/$eq", "TYPE"],
  ["a boolean for $gt", data({ a: { $gt: true } }), "/input/filter/data/a/$gt", "TYPE"],
  ["a number for $startsWith", data({ a: { $startsWith: 1 } }), "/input/filter/data/a/$startsWith", "TYPE"],
  ["a text for $exist", data({ a: { $exist: "true" } }), "/input/filter/data/a/$exist", "TYPE"],
  ["an object for $or", { $or: {} }, "/input/filter/$or", "TYPE"],
  ["an empty $in", data({ a: { $in: [] } }), "/input/filter/data/a/$in", "TOO_LONG"],
  ["a long $in", data({ a: { $in: Array(101).fill(1) } }), "/input/filter/data/a/$in", "TOO_LONG"],
  ["an empty condition", data({ a: {} }), "/input/filter/data/a", "TOO_SHORT"],
  ["too many levels", data(nest(10)), `/input/filter/data${"/a".repeat(10)}`, "TOO_LONG"],
  ["too many conditions", data(many(100)), "/input/filter/data/m98", "TOO_LONG"],
  ["too much text", data({ a: "x".repeat(8200) }), "/input/filter", "TOO_LONG"],
  ["the character NUL", data({ a: "\0" }), "/input/filter/data/a", "FORMAT"],
])("%s is refused", (_, filter, pointer, code) => {
  expect(filterProblems(filter, "/input/filter")).toMatchObject([{ pointer, code }]);
});

test("a filter over very long lists takes little time, and the event is sent", () => {
  const long = { data: { list: Array.from({ length: 60_000 }, (_, place) => place) } };
  const filter = { $and: Array.from({ length: 50 }, () => ({ data: { list: { $in: Array(100).fill(-1) } } })) };
  expect(matchesFilter(filter, long)).toBe(true);
});

const texts = { data: { text: "a".repeat(60_000) } };

test.each<[string, Record<string, unknown>, object]>([
  ["a search in a very long text", data({ text: { $in: "aaab".repeat(97) } }), texts],
  ["many searches in a long text", data({ text: { $nin: "b", $or: Array(96).fill({ $in: "aaab" }) } }), texts],
  ["many members for each item of a list", data({ list: many(96) }), { data: { list: Array(5_000).fill(0) } }],
  [
    "many beginnings of many texts",
    data({ list: { $startsWith: Array.from({ length: 60 }, (_, at) => "a".repeat(100) + at) } }),
    { data: { list: Array(50).fill("a".repeat(120)) } },
  ],
  [
    "a long text in a long list",
    data({ list: { $eq: "a".repeat(8000) } }),
    { data: { list: Array(2_500).fill(`${"a".repeat(7999)}b`) } },
  ],
  [
    "a long number for each item of a list",
    data({ list: { $gt: parseForeignJson("9".repeat(8000)) } }),
    { data: { list: Array(100).fill(parseForeignJson("8".repeat(8000))) } },
  ],
  [
    "a number that is kept for each item of a list",
    data({ list: 3 }),
    { data: { list: Array(5_000).fill(parseForeignJson("2.0")) } },
  ],
  [
    "a time for each item of a list",
    data({ list: { $gt: "2027-01-01T00:00:00Z" } }),
    { data: { list: Array(3_000).fill("2026-01-01T00:00:00Z") } },
  ],
])("%s is too much work, and the event is sent", (_, filter, event) => {
  expect(filterProblems(filter, "")).toEqual([]);
  expect(matchesFilter(filter, event)).toBe(true);
});

test("searches in texts of usual length are exact", () => {
  const filter = data({ text: { $or: Array.from({ length: 20 }, (_, place) => ({ $in: `a needle ${place}` })) } });
  expect(matchesFilter(filter, { data: { text: "a ".repeat(500) } })).toBe(false);
});

test("filters that are evaluated together share their work, and short ones stay exact", () => {
  const together = new SharedWork();
  const event = { data: { ...texts.data, list: Array(9_000).fill(0) } };
  const answers = Array.from({ length: 20 }, () => matchesFilter(data({ list: 1 }), event, together));
  expect(answers.filter((isSent) => !isSent)).toHaveLength(11);
  expect(answers.slice(12)).toEqual(Array(8).fill(true));
  expect(matchesFilter(data({ text: "b", status: "Failed" }), event, together)).toBe(false);
});

test("evaluations that share their work give the event loop back between them, however many there are", async () => {
  const together = new SharedWork();
  const event = { data: { list: Array(400).fill(0) } };
  let [pauses, turns] = [0, 0];
  setImmediate(() => (turns += 1));
  for (let at = 0; at < 1000; at += 1) {
    if (together.needsPause) {
      await together.pause();
      pauses += 1;
    }
    expect(matchesFilter(data({ list: 1 }), event, together)).toBe(false);
  }
  expect(pauses).toBe(19);
  expect(turns).toBe(1);
});

test("a search that is refused counts no more than the limit, so that a transaction pauses only for work that was done", async () => {
  const together = new SharedWork();
  const filter = data({ text: { $in: "b".repeat(4000) } });
  let pauses = 0;
  for (let at = 0; at < 1000; at += 1) {
    if (together.needsPause) {
      await together.pause();
      pauses += 1;
    }
    expect(matchesFilter(filter, texts, together)).toBe(true);
  }
  // one for each among the first five, then one for each forty
  expect(pauses).toBeLessThan(40);
});
