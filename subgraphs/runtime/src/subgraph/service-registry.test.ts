import { ServiceRegistry, serviceKey } from "./service-registry.js";

class Sender {
  readonly name = "sender";
}

class Receiver {
  private constructor(readonly sender: Sender) {}

  static for(sender: Sender): Receiver {
    return new Receiver(sender);
  }
}

describe("the registry of services", () => {
  it("hands a service to the modules below by its class", () => {
    const registry = new ServiceRegistry();
    const sender = registry.forSlice("senders").add(new Sender());
    const receivers = registry.forSlice("receivers");
    receivers.add(Receiver.for(receivers.get(Sender)));
    expect(registry.forSlice("letters").get(Receiver).sender).toBe(sender);
  });

  it("takes a key where a service has no class", () => {
    const registry = new ServiceRegistry();
    const clock = serviceKey<{ now(): number }>("Clock");
    registry.forSlice("clocks").add({ now: () => 7 }, clock);
    expect(registry.forSlice("letters").get(clock).now()).toBe(7);
  });

  it("names the slice and the service where no module above has registered it", () => {
    const registry = new ServiceRegistry();
    expect(() => registry.forSlice("letters").get(Sender)).toThrow(
      'The module "letters" needs Sender, which no module above it in the list has registered.',
    );
  });

  it("refuses a second service of one class", () => {
    const registry = new ServiceRegistry();
    registry.forSlice("senders").add(new Sender());
    expect(() => registry.forSlice("letters").add(new Sender())).toThrow(
      'The module "letters" registers Sender, which is registered already.',
    );
  });
});
