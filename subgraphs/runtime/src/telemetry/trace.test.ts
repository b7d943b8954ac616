import { continueTrace, traceparent } from "./trace.js";

const callerHeader = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("W3C trace context", () => {
  it("keeps the trace id and takes a span of its own", () => {
    const trace = continueTrace(callerHeader);
    expect(trace.traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(trace.spanId).not.toBe("b7ad6b7169203331");
    expect(traceparent(trace)).toBe(`00-${trace.traceId}-${trace.spanId}-01`);
  });

  it.each([
    ["nothing", undefined],
    ["an upper-case id", callerHeader.toUpperCase()],
    ["an all-zero trace id", `00-${"0".repeat(32)}-b7ad6b7169203331-01`],
    ["an all-zero parent id", `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01`],
    ["version ff", callerHeader.replace(/^00/, "ff")],
    ["members after version 00", `${callerHeader}-more`],
    ["a short id", callerHeader.slice(0, -4)],
  ])("starts a new trace for %s", (_, header) => {
    const trace = continueTrace(header);
    expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(trace.traceId).not.toBe("0af7651916cd43dd8448eb211c80319c");
  });

  it("accepts members after a future version", () => {
    expect(continueTrace(`${callerHeader.replace(/^00/, "01")}-more`).traceId).toBe("0af7651916cd43dd8448eb211c80319c");
  });
});
