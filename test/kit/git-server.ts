import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface GitServer {
  /** The URL of the only repository, which is empty. */
  readonly url: string;
  readonly host: string;
  /** The Authorization headers of all requests, in their order. */
  readonly credentials: readonly string[];
  git(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** A git server over smart HTTP that accepts one user. It is not part of the platform. */
export async function aGitServer({ username, password }: { username: string; password: string }): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), "factory-git-host-"));
  const repository = join(root, "orders.git");
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const credentials: string[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) credentials.push(authorization);
    if (authorization === expected) serve(root, request, response);
    else response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/orders.git`,
    host,
    credentials,
    git: async (...args) => (await run("git", ["--git-dir", repository, ...args])).stdout,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const env = {
    PATH: process.env["PATH"],
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    REMOTE_USER: "user",
    PATH_INFO: path,
    QUERY_STRING: query,
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
  };
  const child = spawn("git", ["http-backend"], { env });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.once("close", () => {
    const all = Buffer.concat(output);
    const end = all.indexOf("\r\n\r\n");
    const head = all.toString("latin1", 0, end);
    const status = Number(/^Status: (\d+)/m.exec(head)?.[1] ?? 200);
    response.writeHead(status, { "content-type": /^Content-Type: (.+?)\r?$/im.exec(head)?.[1] ?? "text/plain" });
    response.end(all.subarray(end + 4));
  });
  request.pipe(child.stdin);
}
