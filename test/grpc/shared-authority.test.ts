import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "node:tls";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { serverName } from "@factory/runtime/grpc/service-identity";
import { PlatformGroup } from "../kit/platform-group.js";

let group: PlatformGroup;

/** Whether one process's server answers a product that only has the other process's files. */
async function answers({ grpcAddress }: PlatformProcess, { dataDir }: PlatformProcess): Promise<boolean> {
  const [ca, cert, key] = await Promise.all(
    ["ca.crt", "product.crt", "product.key"].map((name) => readFile(join(dataDir, "tls", name))),
  );
  const port = Number(grpcAddress.split(":").at(-1));
  const servername = serverName("gateway");
  const socket = connect({ host: "127.0.0.1", port, servername, ca, cert, key, ALPNProtocols: ["h2"] } as never);
  try {
    const heard = once(socket, "data").then(() => true);
    heard.catch(() => undefined);
    return await Promise.race([heard, new Promise<boolean>((resolve) => socket.once("error", () => resolve(false)))]);
  } finally {
    socket.destroy();
  }
}

afterAll(() => group?.close());

it("processes that start over one database at once trust the certificates of each other", async () => {
  group = await PlatformGroup.open();
  const [first, second] = await Promise.all([group.start({}), group.start({})]);
  expect([await answers(first, second), await answers(second, first)]).toEqual([true, true]);
  const certificates = [first, second].map(({ dataDir }) => readFile(join(dataDir, "tls", "product.crt"), "utf8"));
  expect(new Set(await Promise.all(certificates)).size).toBe(2);
});
