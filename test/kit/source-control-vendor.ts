import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { serveGit } from "./git-backend.js";
import { fromGithub, mergeRequestFromGitlab, type SentDelivery } from "./vendor-senders.js";

const run = promisify(execFile);

/** A pull request as the vendor keeps it. */
export interface KeptPullRequest {
  readonly number: number;
  readonly repository: string;
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly base: string;
  labels: string[];
  state: "open" | "closed" | "merged";
  changedAt: Date;
  readonly openedAt: Date;
}

/** What a test does instead of the vendor: answers with a status, or lets the vendor answer (undefined). */
type Interference = (request: IncomingMessage, path: string) => { status: number; body?: string } | undefined;

/** A source-control vendor in the test: git over HTTP, and an API for pull requests in one of two dialects. */
export interface SourceControlVendor {
  readonly baseUrl: string;
  readonly origin: string;
  /** The Authorization headers of git, without repetition. */
  readonly gitLogins: ReadonlySet<string>;
  /** Method and path of each call of the API. */
  readonly calls: readonly string[];
  readonly pullRequests: readonly KeptPullRequest[];
  interfere: Interference;
  /** Creates a repository with one commit on main. */
  create(repository: string): Promise<void>;
  git(repository: string, ...args: string[]): Promise<string>;
  /** Merges, closes or opens a pull request again, and returns the delivery that tells it. */
  move(number: number, to: "merge" | "close" | "reopen", secret: string): Promise<SentDelivery>;
  /** The delivery that tells that a pull request was opened, as it was then. */
  opened(number: number, secret: string): SentDelivery;
  close(): Promise<void>;
}

interface Options {
  readonly dialect: "github" | "gitlab";
  readonly token: string;
}

/** Starts a vendor that accepts one token. It is not part of the platform. */
export async function aSourceControlVendor({ dialect, token }: Options): Promise<SourceControlVendor> {
  const root = await mkdtemp(join(tmpdir(), "factory-git-vendor-"));
  const pullRequests: KeptPullRequest[] = [];
  const calls: string[] = [];
  const gitLogins = new Set<string>();
  let deliveries = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://vendor");
    const isApi = pathname.startsWith("/api/");
    const told = vendor.interfere(request, pathname);
    if (isApi) calls.push(`${request.method} ${pathname}`);
    if (told) return void response.writeHead(told.status).end(told.body ?? "{}");
    if (isApi) return void serveApi(request, response, pathname.slice("/api".length), searchParams);
    const { authorization } = request.headers;
    const password = Buffer.from(authorization?.split(" ")[1] ?? "", "base64")
      .toString()
      .split(":")[1];
    if (authorization !== undefined) gitLogins.add(authorization);
    if (password === token) serveGit(root, request, response);
    else response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // if a test fails before it closes its vendor, the test run must still end
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folderOf = (repository: string) => join(root, `${repository}.git`);
  const git = async (repository: string, ...args: string[]) =>
    (await run("git", ["--git-dir", folderOf(repository), ...args])).stdout.trim();
  const describe = dialect === "github" ? asPull : asMergeRequest;

  async function serveApi(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const shown = request.headers.authorization?.split(" ")[1] ?? request.headers["private-token"];
    if (shown !== token) return void answer(401, { message: "Bad credentials" });
    if (path === "/user") return void answer(200, { login: "robot" });
    const body = JSON.parse((await textOf(request)) || "{}") as Record<string, unknown>;
    const [, labeled = ""] = /^\/repos\/[^/]+\/[^/]+\/issues\/(\d+)\/labels$/.exec(path) ?? [];
    if (labeled !== "") {
      const found = pullRequests.find(({ number }) => number === Number(labeled));
      if (found) found.labels = [...new Set([...found.labels, ...(body["labels"] as string[])])];
      return void answer(found ? 200 : 404, {});
    }
    const [, repository = ""] =
      /^\/repos\/([^/]+\/[^/]+)\/pulls$/.exec(path) ?? /^\/projects\/([^/]+)\/merge_requests$/.exec(path) ?? [];
    const name = decodeURIComponent(repository);
    if (!(await exists(name))) return void answer(404, { message: "Not Found" });
    const branch = String(body["head"] ?? body["source_branch"] ?? "");
    const asked = query.get("source_branch") ?? query.get("head")?.split(":")[1];
    const ofBranch = pullRequests.filter((one) => one.repository === name && one.branch === (asked ?? branch));
    if (request.method === "GET")
      return void answer(
        200,
        ofBranch.map((one) => describe(origin, one)),
      );
    const isKnown = (await git(name, "branch", "--list", branch)) !== "";
    if (!isKnown) return void answer(422, { message: "head is invalid" });
    if (ofBranch.some(({ state }) => state === "open")) return void answer(409, { message: "already exists" });
    const now = new Date();
    const kept: KeptPullRequest = {
      number: pullRequests.length + 1,
      ...{ repository: name, branch, base: String(body["base"] ?? body["target_branch"]) },
      ...{ title: String(body["title"]), body: String(body["body"] ?? body["description"]) },
      labels: (body["labels"] as string[] | undefined) ?? [],
      ...{ state: "open", openedAt: now, changedAt: now },
    };
    pullRequests.push(kept);
    answer(201, describe(origin, kept));
  }

  const exists = (repository: string) =>
    git(repository, "rev-parse", "HEAD").then(
      () => true,
      () => false,
    );
  const deliver = (one: KeptPullRequest, action: string, secret: string): SentDelivery => {
    deliveries += 1;
    const id = `delivery-${deliveries}-${Math.random().toString(36).slice(2)}`;
    if (dialect === "gitlab") {
      const { web_url: url, ...rest } = asMergeRequest(origin, one);
      const words: Readonly<Record<string, string>> = {
        opened: "open",
        closed: one.state === "merged" ? "merge" : "close",
        reopened: "reopen",
      };
      return mergeRequestFromGitlab(secret, id, {
        object_kind: "merge_request",
        project: { id: 7, path_with_namespace: one.repository },
        object_attributes: { ...rest, url, action: words[action] },
      });
    }
    const repository = { full_name: one.repository };
    return fromGithub(secret, id, "pull_request", { action, repository, pull_request: asPull(origin, one) });
  };
  const byNumber = (number: number) => {
    const found = pullRequests.find((one) => one.number === number);
    if (!found) throw new Error(`The vendor has no pull request ${number}.`);
    return found;
  };
  const vendor: SourceControlVendor = {
    ...{ baseUrl: `${origin}/api`, origin, gitLogins, calls, pullRequests, git, interfere: () => undefined },
    async create(repository) {
      const folder = folderOf(repository);
      await mkdir(dirname(folder), { recursive: true });
      await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", folder]);
      const tree = await git(repository, "hash-object", "-t", "tree", "-w", "/dev/null");
      const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@people.example"];
      const commit = await git(repository, ...identity, "commit-tree", "-m", "first", tree);
      await git(repository, "update-ref", "refs/heads/main", commit);
    },
    async move(number, to, secret) {
      const found = byNumber(number);
      if (to === "merge") {
        const head = await git(found.repository, "rev-parse", found.branch);
        await git(found.repository, "update-ref", `refs/heads/${found.base}`, head);
      }
      found.state = to === "merge" ? "merged" : to === "close" ? "closed" : "open";
      // vendors tell the time in seconds, and tests are faster
      found.changedAt = new Date(found.changedAt.getTime() + 1_000);
      return deliver(found, to === "reopen" ? "reopened" : "closed", secret);
    },
    opened(number, secret) {
      const found = byNumber(number);
      return deliver({ ...found, state: "open", changedAt: found.openedAt }, "opened", secret);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
  return vendor;
}

const seconds = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;

/** As GitHub's REST API describes a pull request. */
function asPull(
  origin: string,
  { number, repository, title, body, branch, base, state, openedAt, changedAt }: KeptPullRequest,
) {
  const repo = { full_name: repository };
  const ended = state === "open" ? null : seconds(changedAt);
  return {
    ...{ number, title, body, html_url: `${origin}/${repository}/pull/${number}` },
    state: state === "open" ? "open" : "closed",
    merged: state === "merged",
    merged_at: state === "merged" ? ended : null,
    closed_at: ended,
    ...{ created_at: seconds(openedAt), updated_at: seconds(changedAt) },
    head: { ref: branch, repo },
    base: { ref: base, repo },
  };
}

/** As GitLab's REST API describes a merge request. */
function asMergeRequest(
  origin: string,
  { number, repository, title, body, branch, base, labels, state, openedAt, changedAt }: KeptPullRequest,
) {
  return {
    ...{ id: 10_000 + number, iid: number, title, description: body, labels },
    state: state === "open" ? "opened" : state,
    ...{ source_branch: branch, target_branch: base, source_project_id: 7, target_project_id: 7, project_id: 7 },
    web_url: `${origin}/${repository}/-/merge_requests/${number}`,
    ...{ created_at: openedAt.toISOString(), updated_at: changedAt.toISOString() },
    merged_at: state === "merged" ? changedAt.toISOString() : null,
    closed_at: state === "closed" ? changedAt.toISOString() : null,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
