import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { serveGit } from "./git-backend.js";
import {
  type Dialect,
  describePullRequest,
  type KeptPullRequest,
  pullRequestDelivery,
} from "./source-control-dialects.js";
import type { SentDelivery } from "./vendor-senders.js";

const run = promisify(execFile);
const apiPath = "/api";
const listPaths = { github: /^\/repos\/([^/]+\/[^/]+)\/pulls$/, gitlab: /^\/projects\/([^/]+)\/merge_requests$/ };

/** The members for a new pull request in both dialects. */
type WantedByApi = Partial<
  Record<"title" | "body" | "description" | "head" | "source_branch" | "base" | "target_branch", string>
> & { readonly labels?: string[] };

const branchOf = (query: URLSearchParams, { head, source_branch }: WantedByApi): string =>
  query.get("source_branch") ?? query.get("head")?.split(":")[1] ?? head ?? source_branch ?? "";

/** Answers instead of the vendor; undefined lets the vendor answer. */
type Interference = (request: IncomingMessage, path: string) => Answer | Promise<Answer>;
type Answer = { readonly status: number; readonly body?: string } | undefined;

/** A source-control vendor in the test: git over HTTP, and an API for pull requests in one of two dialects. */
export interface SourceControlVendor {
  readonly baseUrl: string;
  readonly origin: string;
  /** Git's Authorization headers, without repetition. */
  readonly gitLogins: ReadonlySet<string>;
  /** Each API call's method and path. */
  readonly calls: readonly string[];
  readonly pullRequests: readonly KeptPullRequest[];
  interfere: Interference;
  /** Creates a repository with one commit on main. */
  create(repository: string): Promise<void>;
  git(repository: string, ...args: string[]): Promise<string>;
  /** Changes a file on main, as a person does. */
  edit(repository: string, path: string, text: string): Promise<void>;
  /** Merges, closes or opens a pull request again, and returns the delivery that tells it. */
  move(number: number, to: "merge" | "close" | "reopen", secret: string): Promise<SentDelivery>;
  /** The delivery that tells that a pull request was opened, as it was then. */
  opened(number: number, secret: string): SentDelivery;
  close(): Promise<void>;
}

interface Options {
  readonly dialect: Dialect;
  readonly token: string;
}

/** Starts a vendor that accepts one token. It does not belong to the platform. */
export async function aSourceControlVendor({ dialect, token }: Options): Promise<SourceControlVendor> {
  const root = await mkdtemp(join(tmpdir(), "factory-git-vendor-"));
  const pullRequests: KeptPullRequest[] = [];
  const calls: string[] = [];
  const gitLogins = new Set<string>();
  let deliveries = 0;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://vendor");
    const isApi = url.pathname.startsWith(`${apiPath}/`);
    if (isApi) calls.push(`${request.method} ${url.pathname}`);
    const interference = await vendor.interfere(request, url.pathname);
    if (interference) return void response.writeHead(interference.status).end(interference.body ?? "{}");
    if (isApi) return serveApi(request, response, url);
    const { authorization } = request.headers;
    const password = Buffer.from(authorization?.split(" ")[1] ?? "", "base64")
      .toString()
      .split(":")[1];
    if (authorization !== undefined) gitLogins.add(authorization);
    if (password === token) serveGit(root, request, response);
    else response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // if a test fails before it closes its vendor, the test run must still end
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folderOf = (repository: string) => join(root, `${repository}.git`);
  const git = async (repository: string, ...args: string[]) =>
    (await run("git", ["--git-dir", folderOf(repository), ...args])).stdout.trim();

  async function serveApi(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const answer = (status: number, body: unknown) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const path = url.pathname.slice(apiPath.length);
    const requestToken = request.headers.authorization?.split(" ")[1] ?? request.headers["private-token"];
    if (requestToken !== token) return answer(401, { message: "Bad credentials" });
    if (path === "/user") return answer(200, { login: "robot" });
    const body = JSON.parse((await textOf(request)) || "{}") as WantedByApi;
    const [, labeledNumber] = /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/labels$/.exec(path) ?? [];
    if (labeledNumber !== undefined) return answer(200, label(Number(labeledNumber), body.labels ?? []));
    const [, encodedRepository = ""] = listPaths[dialect].exec(path) ?? [];
    const repository = decodeURIComponent(encodedRepository);
    if (!(await exists(repository))) return answer(404, { message: "Not Found" });
    const branch = branchOf(url.searchParams, body);
    const ofBranch = pullRequests.filter(
      (pullRequest) => pullRequest.repository === repository && pullRequest.branch === branch,
    );
    const shownOnes = ofBranch.map((pullRequest) => describePullRequest(dialect, origin, pullRequest));
    if (request.method === "GET") return answer(200, shownOnes);
    if ((await git(repository, "branch", "--list", branch)) === "") return answer(422, { message: "head is invalid" });
    if (ofBranch.some(({ state }) => state === "open")) return answer(409, { message: "already exists" });
    answer(201, describePullRequest(dialect, origin, open(repository, branch, body)));
  }

  function open(repository: string, branch: string, body: WantedByApi): KeptPullRequest {
    const now = new Date();
    const pullRequest: KeptPullRequest = {
      ...{ number: pullRequests.length + 1, repository, branch, base: body.base ?? body.target_branch ?? "" },
      ...{ title: body.title ?? "", body: body.body ?? body.description ?? "", labels: body.labels ?? [] },
      ...{ state: "open", openedAt: now, changedAt: now },
    };
    pullRequests.push(pullRequest);
    return pullRequest;
  }

  function label(number: number, labels: readonly string[]): object {
    const pullRequest = byNumber(number);
    pullRequest.labels = [...new Set([...pullRequest.labels, ...labels])];
    return {};
  }

  const exists = (repository: string) =>
    git(repository, "rev-parse", "HEAD").then(
      () => true,
      () => false,
    );
  const deliver = (pullRequest: KeptPullRequest, action: string, secret: string): SentDelivery => {
    deliveries += 1;
    const id = `delivery-${deliveries}-${Math.random().toString(36).slice(2)}`;
    return pullRequestDelivery(dialect, origin, pullRequest, { id, action, secret });
  };
  const byNumber = (number: number) => {
    const pullRequest = pullRequests.find((candidate) => candidate.number === number);
    if (!pullRequest) throw new Error(`The vendor has no pull request ${number}.`);
    return pullRequest;
  };
  const vendor: SourceControlVendor = {
    ...{ baseUrl: origin + apiPath, origin, gitLogins, calls, pullRequests, git, interfere: () => undefined },
    async create(repository) {
      const folder = folderOf(repository);
      await mkdir(dirname(folder), { recursive: true });
      await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", folder]);
      const tree = await git(repository, "hash-object", "-t", "tree", "-w", "/dev/null");
      const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@people.example"];
      const commit = await git(repository, ...identity, "commit-tree", "-m", "first", tree);
      await git(repository, "update-ref", "refs/heads/main", commit);
    },
    async edit(repository, path, text) {
      const folder = await mkdtemp(join(root, "work-"));
      const inFolder = (...args: string[]) => git(repository, "--work-tree", folder, ...args);
      await inFolder("checkout", "--quiet", "--force", "main");
      await writeFile(join(folder, path), text);
      await inFolder("add", "--all");
      await inFolder("-c", "user.name=Ada", "-c", "user.email=ada@people.example", "commit", "--quiet", "-m", "ours");
    },
    async move(number, to, secret) {
      const pullRequest = byNumber(number);
      if (to === "merge") {
        const head = await git(pullRequest.repository, "rev-parse", pullRequest.branch);
        await git(pullRequest.repository, "update-ref", `refs/heads/${pullRequest.base}`, head);
      }
      pullRequest.state = to === "merge" ? "merged" : to === "close" ? "closed" : "open";
      // vendors tell the time in seconds, and tests are faster
      pullRequest.changedAt = new Date(pullRequest.changedAt.getTime() + 1_000);
      return deliver(pullRequest, to === "reopen" ? "reopened" : "closed", secret);
    },
    opened(number, secret) {
      const pullRequest = byNumber(number);
      return deliver({ ...pullRequest, state: "open", changedAt: pullRequest.openedAt }, "opened", secret);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
  return vendor;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
