import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { serveGit } from "./git-backend.js";

const run = promisify(execFile);

export interface GitServer {
  /** The only repository's URL. The repository is empty. */
  readonly url: string;
  readonly host: string;
  /** The Authorization header from each request, in their order. */
  readonly credentials: readonly string[];
  git(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** A git server over smart HTTP that accepts one user. It does not belong to the platform. */
export async function aGitServer({ username, password }: { username: string; password: string }): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), "factory-git-host-"));
  const repository = join(root, "orders.git");
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  const validCredential = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const credentials: string[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) credentials.push(authorization);
    if (authorization === validCredential) serveGit(root, request, response);
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
