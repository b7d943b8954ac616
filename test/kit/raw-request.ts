import { request as httpRequest } from "node:http";
import { requireDescribed } from "./described-answers.js";
import { platform } from "./platform.js";

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** Posts bytes. A header with several values is sent once for each value, which `fetch` cannot do. */
export async function postRaw(
  path: string,
  headers: Record<string, string | string[]>,
  raw: string | Buffer,
): Promise<RawAnswer> {
  const answer = await answerTo(path, headers, raw);
  requireDescribed("POST", path, answer);
  return answer;
}

function answerTo(path: string, headers: Record<string, string | string[]>, raw: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoingRequest = httpRequest(platform().publicUrl + path, { method: "POST", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const type = response.headers["content-type"] ?? "";
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          text,
          body: type.includes("json") ? (JSON.parse(text) as Record<string, unknown>) : {},
        });
      });
    });
    outgoingRequest.on("error", reject);
    outgoingRequest.end(raw);
  });
}
