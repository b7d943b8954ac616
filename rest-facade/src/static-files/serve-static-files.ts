import { extname } from "node:path";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FastifyInstance } from "fastify";
import { addHeader } from "../http/add-header.js";
import { matchesEntityTag } from "../http/entity-tag.js";
import { acceptedCoding } from "../http/memory-document.js";
import { assetsPath, type StaticFiles } from "./static-files.js";

const mediaTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** A file never changes under its name. */
const forever = "public, max-age=31536000, immutable";

/** Serves the pages' files at `/assets/{name}`. */
export function serveStaticFiles(app: FastifyInstance, files: StaticFiles | undefined): void {
  app.get<{ Params: { name: string } }>(`${assetsPath}/:name`, async (request, reply) => {
    const { name } = request.params;
    if (!files?.has(name))
      throw new DomainError("NOT_FOUND", {
        detail: "This file does not exist. A newer build has other files, so load the page again.",
      });
    // one tag for all content codings, so that it is weak
    const tag = `W/"${name}"`;
    addHeader(reply, "vary", "accept-encoding");
    reply.header("etag", tag).header("cache-control", forever);
    const knownTags = request.headers["if-none-match"];
    if (knownTags !== undefined && matchesEntityTag(knownTags, tag)) return reply.code(304).send();
    const coding = acceptedCoding(request.headers["accept-encoding"]);
    const content = await files.content(name, coding).catch((error: unknown) => {
      // the error's own answer has neither this tag nor this coding
      reply.removeHeader("etag").removeHeader("cache-control");
      throw error;
    });
    if (coding) reply.header("content-encoding", coding);
    return reply.header("content-type", mediaTypes[extname(name)] ?? "application/octet-stream").send(content);
  });
}
