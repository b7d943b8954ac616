import type { Readable } from "node:stream";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "../http/entity-tag.js";
import { requestAborted } from "../http/problem.js";
import { type Admission, admit } from "../requests/handle-route.js";
import { reportContentRoute } from "../routes/report-content.routes.js";
import { endpointOf, fastifyPath } from "../routes/route.js";
import { type ByteRange, byteRange } from "./byte-range.js";
import type { ReportContent, ReportContents } from "./report-contents.js";

/** Each download holds a file and a socket, and a slow reader holds them long. */
const downloads = { maxPerTenant: 8, maxTotal: 64 };
/** A reader that takes nothing for this time is disconnected. */
const stalledMs = 30_000;

/** Serves report runs' contents, whole or in one range (RFC 9110 section 14). */
export function serveReportContents(app: FastifyInstance, contents: ReportContents, admission: Admission): void {
  const limiter = new ConcurrencyLimiter(downloads, "downloads of reports");
  app.route({
    method: ["GET", "HEAD"],
    exposeHeadRoute: false,
    url: fastifyPath(endpointOf(reportContentRoute.at).path),
    onRequest: admit(reportContentRoute, "read", admission),
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { reportRunId } = request.params as { reportRunId: string };
      const content = await contents.open(caller, reportRunId);
      const tag = `"${content.sha256}"`;
      const knownTags = request.headers["if-none-match"];
      if (knownTags !== undefined && matchesEntityTag(knownTags, tag)) {
        reply.code(304).header("etag", tag).header("cache-control", "private, no-cache");
        return reply.removeHeader("content-type").send();
      }
      const range = rangeFor(request, tag, content.sizeBytes);
      if (range === "unsatisfiable") throw unsatisfiable(content, reply);
      const part = range === "whole" ? { start: 0, end: content.sizeBytes - 1 } : range;
      const isBare = request.method === "HEAD" || content.sizeBytes === 0;
      const bytes = isBare ? undefined : await startReading(content, part, { reply, limiter, caller });
      describe(content, part, reply);
      if (range !== "whole") reply.code(206).header("content-range", rangeOf(part, content));
      return reply.send(bytes);
    },
  });
}

function callerOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw new Error("The request was not admitted");
  return principal;
}

/** A range counts for GET only (RFC 9110 section 14.2), and with `If-Range` only for the content that the caller knows. */
function rangeFor({ headers, method }: FastifyRequest, tag: string, size: number) {
  const condition = headers["if-range"];
  if (method !== "GET" || (condition !== undefined && condition !== tag)) return "whole";
  return byteRange(headers.range, size);
}

const rangeOf = ({ start, end }: ByteRange, { sizeBytes }: ReportContent) => `bytes ${start}-${end}/${sizeBytes}`;

function unsatisfiable({ sizeBytes }: ReportContent, reply: FastifyReply): DomainError {
  reply.header("content-range", `bytes */${sizeBytes}`);
  return new DomainError("RANGE_NOT_SATISFIABLE", {
    detail: `The header Range names no bytes of the content, which has ${sizeBytes}.`,
  });
}

function describe(
  { sha256, contentType, fileName }: ReportContent,
  { start, end }: ByteRange,
  reply: FastifyReply,
): void {
  reply
    .header("content-type", contentType)
    .header("content-length", end - start + 1)
    .header("content-disposition", `attachment; filename="${fileName}"`)
    .header("etag", `"${sha256}"`)
    .header("cache-control", "private, no-cache")
    .header("accept-ranges", "bytes")
    // RFC 9530: the whole content's digest, also beside a range
    .header("repr-digest", `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`);
}

interface Download {
  readonly reply: FastifyReply;
  readonly limiter: ConcurrencyLimiter;
  readonly caller: Principal;
}

/** Opens the bytes, which are closed with the answer. */
async function startReading(
  content: ReportContent,
  { start, end }: ByteRange,
  { reply: { raw }, limiter, caller }: Download,
): Promise<Readable> {
  const leave = limiter.acquire(caller.tenantId ?? "");
  if (!leave)
    throw new DomainError("RATE_LIMITED", {
      detail: `At most ${downloads.maxPerTenant} downloads of reports of one tenant run at once. Wait until one of them has ended.`,
      retryAfterSeconds: 5,
    });
  // A response that is closed already emits nothing more.
  if (raw.destroyed) {
    leave();
    throw requestAborted();
  }
  raw.once("close", leave);
  const bytes = await content.read(start, end);
  raw.setTimeout(stalledMs, () => raw.destroy());
  raw.once("close", () => bytes.destroy());
  if (raw.destroyed) bytes.destroy();
  return bytes;
}
