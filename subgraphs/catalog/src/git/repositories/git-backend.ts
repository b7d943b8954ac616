import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import { requireStarted } from "@factory/runtime/files/started-child";
import { gitEnvironment, killGroup } from "../git/git.js";
import type { GitService } from "./git-request.js";

const maxHeaderBytes = 16 * 1024;
const headerEnd = "\r\n\r\n";

interface BackendLimits {
  /** A clone that takes longer is ended. */
  timeoutMs: number;
  /** The limit for one negotiation request, in compressed bytes. */
  maxRequestBytes: number;
}

/** `git http-backend` answered with this status before any content. The caller writes the problem document. */
export class BackendRefusal extends Error {
  override readonly name = "BackendRefusal";

  constructor(readonly status: number) {
    super(`git http-backend answered ${status}`);
  }
}

type ReadService = Extract<GitService, { kind: "read" }>;

/**
 * Runs `git http-backend` for one request and streams both bodies. Throws BackendRefusal and FileOutage only before the
 * answer has begun.
 */
export async function serveRepository(
  exchange: { request: IncomingMessage; response: ServerResponse },
  repository: { folder: string; service: ReadService },
  limits: BackendLimits,
): Promise<void> {
  const { request, response } = exchange;
  const env = await backendEnvironment(request, repository);
  const child = spawn("git", ["http-backend"], { cwd: repository.folder, env, detached: true, stdio: "pipe" });
  requireStarted(child);
  const end = () => killGroup(child);
  const timer = setTimeout(end, limits.timeoutMs);
  response.once("close", end);
  try {
    sendBody(request, child, limits.maxRequestBytes);
    await relay(child, response);
  } finally {
    clearTimeout(timer);
    response.off("close", end);
  }
}

async function backendEnvironment(
  request: IncomingMessage,
  { folder, service }: { folder: string; service: ReadService },
): Promise<Record<string, string>> {
  const { headers } = request;
  const env: Record<string, string> = {
    ...(await gitEnvironment()),
    GIT_PROJECT_ROOT: dirname(folder),
    PATH_INFO: `/${basename(folder)}/${service.command}`,
    GIT_HTTP_EXPORT_ALL: "1",
    REQUEST_METHOD: service.method,
    QUERY_STRING: service.query,
    CONTENT_TYPE: headers["content-type"] ?? "",
  };
  // Git reads these three values as data. Still, only values in a known form go into its environment.
  if (/^\d{1,15}$/.test(headers["content-length"] ?? "")) env.CONTENT_LENGTH = headers["content-length"] ?? "";
  if (/^(?:x-)?gzip$/.test(headers["content-encoding"] ?? "")) env.HTTP_CONTENT_ENCODING = "gzip";
  const protocol = headers["git-protocol"];
  if (typeof protocol === "string" && /^version=[012]$/.test(protocol)) env.GIT_PROTOCOL = protocol;
  return env;
}

function sendBody(request: IncomingMessage, child: ChildProcessWithoutNullStreams, maxBytes: number): void {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) killGroup(child);
  });
  // The backend may end before it has read the whole body.
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
}

function relay(child: ChildProcessWithoutNullStreams, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0);
    const readHead = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(headerEnd);
      if (end === -1 && head.length <= maxHeaderBytes) return;
      child.stdout.off("data", readHead);
      const { status, fields } = parseHead(head.toString("latin1", 0, Math.max(end, 0)));
      if (end === -1 || status !== 200) {
        killGroup(child);
        return reject(new BackendRefusal(end === -1 ? 500 : status));
      }
      response.writeHead(status, { ...fields, "x-content-type-options": "nosniff" });
      response.write(head.subarray(end + headerEnd.length));
      child.stdout.pipe(response, { end: false });
    };
    child.stdout.on("data", readHead);
    // Messages on stderr may contain local paths. The answer itself has git's error packets.
    child.stderr.resume();
    child.once("error", () => reject(new BackendRefusal(500)));
    child.once("close", (code) => {
      if (!response.headersSent) return reject(new BackendRefusal(500));
      // An incomplete clone must not look complete.
      if (code === 0) response.end();
      else response.destroy();
      resolve();
    });
  });
}

function parseHead(head: string): { status: number; fields: Record<string, string> } {
  const fields: Record<string, string> = {};
  let status = 200;
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon === -1) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "status") status = Number.parseInt(value, 10);
    else fields[name] = value;
  }
  return { status, fields };
}
