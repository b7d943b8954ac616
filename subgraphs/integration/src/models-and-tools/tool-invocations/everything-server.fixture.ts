import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";

/** The reference server's program, which speaks the revision 2025-11-25. */
export const everythingProgram = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);

export interface EverythingServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the protocol's reference server over streamable HTTP, in its own process. */
export async function anEverythingServer(): Promise<EverythingServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [everythingProgram, "streamableHttp"], {
    env: { PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await saidThatItListens(child);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function saidThatItListens(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errorOutput = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      errorOutput += chunk.toString();
      if (errorOutput.includes("listening on port")) resolve();
    });
    child.once("exit", () => reject(new Error(`The tool server has ended: ${errorOutput}`)));
  });
}
