import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { programPath } from "./environment.js";

/** Answers as a git server for the repositories below `root`, by git's own CGI program; anyone may push. */
export function gitBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const env = {
    PATH: programPath,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    REMOTE_USER: "robot",
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
