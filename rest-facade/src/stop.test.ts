import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { startWith } from "./fixture/facade.js";

const template = { templateId: "tpl_1", name: "a", status: "Active", versions: [] };

describe("starting", () => {
  it("fails when an operation does not fit the graph", async () => {
    const prepare = () => {
      throw new Error("Cannot query field");
    };
    await expect(startWith({}, { ports: { prepare } })).rejects.toThrow("Cannot query field");
  });

  it("fails when the port is taken, and leaves nothing open", async () => {
    const first = await startWith({});
    try {
      const port = Number(new URL(first.publicUrl).port);
      await expect(startWith({}, { port })).rejects.toThrow(/EADDRINUSE/);
    } finally {
      await first.close();
    }
  });
});

describe("stopping", () => {
  it("finishes what is in flight, then hangs up, though the connection is kept alive", async () => {
    let finish = () => {};
    const facade = await startWith({
      template: () => new Promise((resolve) => (finish = () => resolve(template))),
    });
    const answer = facade.call("GET /v1/templates/tpl_1");
    await new Promise((resolve) => setTimeout(resolve, 50));
    const stopped = facade.close();
    await expect(facade.call("GET /livez")).rejects.toThrow();
    finish();
    expect((await answer).status).toBe(200);
    await stopped;
  });

  it("cuts what does not finish in time", async () => {
    const facade = await startWith({ template: () => new Promise(() => {}) }, { stopTimeoutMs: 100 });
    const answer = facade.call("GET /v1/templates/tpl_1");
    const outcome = expect(answer).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await facade.close();
    await outcome;
  });

  it("hangs up websockets", async () => {
    const accepted: Duplex[] = [];
    const graphql = {
      handle: async () => ({}),
      upgrade: (_request: unknown, socket: Duplex) => {
        accepted.push(socket);
        socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
      },
    };
    const facade = await startWith({}, { ports: { graphql } });
    const { port } = new URL(facade.publicUrl);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await facade.close();
    await ended;
    expect(accepted).toHaveLength(1);
  });
});

describe("health and metrics", () => {
  it("answer on both listeners; readiness follows its port and is asked once a second", async () => {
    let asked = 0;
    const ready = async () => {
      asked++;
      return { ready: false, checks: { database: "down" } };
    };
    const facade = await startWith({}, { ports: { ready } });
    try {
      for (const internal of [false, true]) {
        expect((await facade.call("GET /livez", { internal, token: undefined })).status).toBe(200);
        const answer = await facade.call("GET /readyz", { internal, token: undefined });
        expect([answer.status, answer.json["checks"]]).toEqual([503, { database: "down" }]);
      }
      expect(asked).toBe(1);
    } finally {
      await facade.close();
    }
  });

  it("a readiness port that fails is not ready", async () => {
    const facade = await startWith({}, { ports: { ready: () => Promise.reject(new Error("x")) } });
    try {
      expect((await facade.call("GET /readyz")).status).toBe(503);
    } finally {
      await facade.close();
    }
  });

  it("metrics name route and tenant, on the public listener only in development", async () => {
    const facade = await startWith({ template: () => template }, { development: true });
    try {
      await facade.call("GET /v1/templates/tpl_1");
      await facade.call("GET /nowhere");
      await facade.call("GET /git/x");
      for (const internal of [false, true]) {
        const { status, text } = await facade.call("GET /metrics", { internal, token: undefined });
        expect(status).toBe(200);
        expect(text).toContain("# nothing else");
        expect(text).toMatch(
          /http_request_duration_seconds_count\{method="GET",route="\/v1\/templates\/\{templateId\}",status="200"\} 1/,
        );
        expect(text).toContain('route="unmatched",status="404"');
        expect(text).toContain('route="/git/*",status="200"');
        expect(text).toMatch(/http_requests_by_tenant_total\{.*tenant="ten_0+"\} 1/);
      }
    } finally {
      await facade.close();
    }
  });
});

describe("CORS", () => {
  it("lets listed origins in and nobody else", async () => {
    const facade = await startWith({ template: () => template }, { allowedOrigins: ["https://studio.example"] });
    try {
      const ask = (origin: string, method = "GET") =>
        facade.call(`${method} /v1/templates/tpl_1`, { headers: { origin, "access-control-request-method": "GET" } });
      const listed = await ask("https://studio.example");
      expect(listed.headers.get("access-control-allow-origin")).toBe("https://studio.example");
      expect(listed.headers.get("vary")).toBe("Origin");
      expect((await ask("https://other.example")).headers.get("access-control-allow-origin")).toBeNull();
      const preflight = await ask("https://studio.example", "OPTIONS");
      expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
        204,
        "GET, HEAD, POST, PUT, DELETE",
      ]);
    } finally {
      await facade.close();
    }
  });
});
