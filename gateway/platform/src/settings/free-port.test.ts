import { once } from "node:events";
import { createServer } from "node:net";
import { choosePort } from "./free-port.js";

describe("the port of the platform", () => {
  it("is the one that is set", async () => {
    expect(await choosePort(4000, "127.0.0.1")).toBe(4000);
  });

  it("is for 0 a free one that no outgoing connection takes", async () => {
    const port = await choosePort(0, "127.0.0.1");
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
  });

  it("is not chosen on a host that this machine does not have", async () => {
    await expect(choosePort(0, "192.0.2.1")).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
  });
});
