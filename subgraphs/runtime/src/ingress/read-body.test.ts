import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "./read-body.js";

let server: Server;
let agent: Agent;

beforeEach(async () => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  server = createServer((incoming, response) => {
    void readBody(incoming, 1000).then((body) => response.end(body?.toString() ?? "too long"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  agent.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function post(body: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: "127.0.0.1", method: "POST", agent }, (answer) => {
      const texts: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => texts.push(chunk));
      answer.on("end", () => resolve(Buffer.concat(texts).toString()));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

describe("the body of a request", () => {
  it("is read as far as its limit", async () => {
    expect(await post("")).toBe("");
    expect(await post("x".repeat(1000))).toBe("x".repeat(1000));
    expect(await post("x".repeat(1001))).toBe("too long");
  });

  it("holds up no other request of its connection when it is longer", async () => {
    expect(await post("x".repeat(300_000))).toBe("too long");
    expect(await post("next")).toBe("next");
  });
});
