import { EventStreamParser } from "./event-stream.js";

const push = (parser: EventStreamParser, text: string) => [...parser.push(Buffer.from(text))];

describe("the parser of event streams", () => {
  it.each(["\n", "\r", "\r\n"])("gives the data of events with the line end %j", (end) => {
    const text = ["\uFEFF: hello", "event: x", "id: 1", "data: one", "data:two", "data", "", "", "data: three", "", ""];
    expect(push(new EventStreamParser(), text.join(end))).toEqual(["one\ntwo\n", "three"]);
  });

  it("gives the same for every way to cut the bytes", () => {
    const whole = Buffer.from("data: grüße\r\n\r\ndata: 🎈\r\rdata: x\n\n");
    for (let size = 1; size <= 7; size += 1) {
      const parser = new EventStreamParser();
      const events: string[] = [];
      for (let at = 0; at < whole.length; at += size) events.push(...parser.push(whole.subarray(at, at + size)));
      expect(events).toEqual(["grüße", "🎈", "x"]);
    }
  });

  it("gives no event that has not ended", () => {
    expect(push(new EventStreamParser(), "data: one\n")).toEqual([]);
  });

  it.each([
    ["a line that is too long", "x".repeat(300_000)],
    ["an event that is too long", `data: ${"x".repeat(200_000)}\n`.repeat(3)],
  ])("refuses %s", (_, text) => {
    expect(() => push(new EventStreamParser(), text)).toThrow(expect.objectContaining({ code: "UPSTREAM_FAILED" }));
  });

  it("refuses bytes that are not UTF-8", () => {
    const bytes = Buffer.from([0x64, 0xff, 0xfe]);
    expect(() => [...new EventStreamParser().push(bytes)]).toThrow(
      expect.objectContaining({ code: "UPSTREAM_FAILED" }),
    );
  });

  it("gives the events before a fault in the same piece", () => {
    const bytes = Buffer.concat([
      Buffer.from("data: one\n\ndata: zwölf\n\ndata: "),
      Buffer.from([0xff]),
      Buffer.from("\n\n"),
    ]);
    const events: string[] = [];
    const readEvents = () => {
      for (const event of new EventStreamParser().push(bytes)) events.push(event);
    };
    expect(readEvents).toThrow(expect.objectContaining({ code: "UPSTREAM_FAILED" }));
    expect(events).toEqual(["one", "zwölf"]);
  });

  it("looks at each character once when a long line comes byte by byte", () => {
    const parser = new EventStreamParser();
    const byte = Buffer.from("x");
    const startTime = performance.now();
    let events = 0;
    for (let at = 0; at < 250_000; at += 1) events += [...parser.push(byte)].length;
    expect(events).toBe(0);
    expect(performance.now() - startTime).toBeLessThan(10_000);
  });
});
