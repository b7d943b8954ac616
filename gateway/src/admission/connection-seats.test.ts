import { ConnectionSeats } from "./connection-seats.js";

describe("the seats of an address", () => {
  it("are free for known callers while others hold all seats of unknown ones", () => {
    const seats = new ConnectionSeats({ unknown: 1, unknownPerAddress: 1, perAddress: 3 });
    const unknownCaller = seats.take("1.2.3.4");
    expect(() => seats.take("1.2.3.4")).toThrow("Too many websockets and event streams");
    expect(() => seats.take("5.6.7.8")).toThrow("have not sent connection_init");
    const knownCallers = [seats.takeKnown("1.2.3.4"), seats.takeKnown("1.2.3.4")];
    expect(() => seats.takeKnown("1.2.3.4")).toThrow("Too many websockets and event streams");
    for (const seat of [...knownCallers, ...knownCallers, unknownCaller]) seat.leave();
    expect(() => seats.take("1.2.3.4")).not.toThrow();
  });
});
