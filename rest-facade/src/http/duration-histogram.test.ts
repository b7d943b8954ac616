import { Histogram, Registry } from "prom-client";
import { DurationHistogram } from "./duration-histogram.js";

describe("the histogram of durations", () => {
  it("has the same output as a histogram of prom-client", async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const options = { name: "request_seconds", help: "Time taken.", bounds: [0.001, 0.5, 2] };
    const { bounds, ...rest } = options;
    const histogram = new DurationHistogram(ours, options);
    const reference = new Histogram({
      ...rest,
      buckets: [...bounds],
      labelNames: ["route", "status"],
      registers: [theirs],
    });
    const [fine, failure] = [
      { route: "/v1/a", status: "200" },
      { route: "/v1/a", status: "500" },
    ];
    const [ok, errorSeries] = [histogram.series(fine), histogram.series(failure)];
    for (const seconds of [0.0005, 0.001, 0.25, 3, 100]) {
      ok.observe(seconds);
      reference.observe(fine, seconds);
    }
    errorSeries.observe(1);
    reference.observe(failure, 1);
    expect(await ours.metrics()).toBe(await theirs.metrics());
  });
});
