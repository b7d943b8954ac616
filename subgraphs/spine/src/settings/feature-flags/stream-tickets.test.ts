import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { StreamTickets } from "./stream-tickets.js";

const tickets = (...numbers: [number, ...number[]]) => new StreamTickets(someMasterKeys(...numbers));

describe("tickets of event streams", () => {
  it("from before a new master key are opened while the former key is configured", () => {
    const ticket = tickets(1).seal("token");
    expect(tickets(2, 1).open(ticket)).toBe("token");
    expect(tickets(2).open(ticket)).toBeUndefined();
    expect(tickets(2).open(tickets(2, 1).seal("token"))).toBe("token");
  });

  it("are not opened after any change", () => {
    const ticket = tickets(1).seal("token");
    for (let place = 0; place < ticket.length - 1; place += 1) {
      const changedTicket = `${ticket.slice(0, place)}${ticket[place] === "A" ? "B" : "A"}${ticket.slice(place + 1)}`;
      expect(tickets(1).open(changedTicket)).toBeUndefined();
    }
  });
});
