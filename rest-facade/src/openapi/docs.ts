import { DomainError } from "@factory/runtime/errors/domain-error";
import { html } from "@factory/runtime/html/html";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import type { FastifyInstance } from "fastify";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";
import { isErrorCode, problemType } from "../http/problem.js";
import { scriptPage, sendScriptPage } from "../static-files/script-page.js";
import type { StaticFiles } from "../static-files/static-files.js";
import { addressed, type OpenApiDocument } from "./openapi.js";

/** The OpenAPI document that is served. It changes with the graph, and is made for its first reader. */
export class ServedApi {
  #describe: () => OpenApiDocument = () => ({}) as OpenApiDocument;
  #publicUrl = "";
  #text: MemoryDocument | undefined;

  replace(describe: () => OpenApiDocument): void {
    this.#describe = describe;
    this.#text = undefined;
  }

  /** Writes absolute addresses, which are known after the listener is open. */
  publishAt(publicUrl: string): void {
    this.#publicUrl = publicUrl;
    this.#text = undefined;
  }

  get text(): MemoryDocument {
    this.#text ??= memoryDocument(JSON.stringify(addressed(this.#describe(), this.#publicUrl)), "application/json");
    return this.#text;
  }
}

const forever = "public, max-age=31536000, immutable";

/** The pages' files, and whether `/graphql` shows GraphiQL. */
export interface DocsOptions {
  readonly files: StaticFiles | undefined;
  readonly hasGraphiql: boolean;
}

/** Serves `/openapi.json`, `/docs` (also from `/`), and a page for each problem type. */
export function serveDocs(app: FastifyInstance, api: ServedApi, options: DocsOptions): void {
  for (const path of ["/", "/docs/"]) app.get(path, (_request, reply) => reply.redirect("/docs", 302));
  app.get<{ Querystring: { version?: string } }>("/openapi.json", (request, reply) => {
    // the page names the version, so that a browser that has it asks for the page only
    const isNamed = request.query.version === versionOf(api.text);
    return sendDocument(request, reply, api.text, isNamed ? forever : "no-cache");
  });
  let pageCache: { readonly version: string; readonly page: MemoryDocument } | undefined;
  app.get("/docs", (request, reply) => {
    const version = versionOf(api.text);
    if (pageCache?.version !== version) pageCache = { version, page: referencePage(version, options) };
    return sendScriptPage(request, reply, pageCache.page);
  });
  serveProblemTypes(app);
}

const versionOf = ({ tag }: MemoryDocument): string => tag.replace(/^W\//, "").replaceAll('"', "");

function referencePage(version: string, { files, hasGraphiql }: DocsOptions): MemoryDocument {
  return scriptPage(files, {
    ...{ title: "REST API of the software factory platform", here: "/docs", hasGraphiql },
    style: "reference-style",
    // the viewer makes its own main element
    scripts: ["reference-settings", "viewer", "reference"],
    content: html`<div id="content"><div id="reference" data-document="/openapi.json?version=${version}"></div></div>`,
  });
}

function serveProblemTypes(app: FastifyInstance): void {
  app.get<{ Params: { code: string } }>("/problems/:code", (request, reply) => {
    const code = request.params.code.toUpperCase().replaceAll("-", "_");
    if (!isErrorCode(code) || request.params.code !== problemType(code).slice("/problems/".length))
      throw new DomainError("NOT_FOUND", {
        detail:
          "This problem type does not exist. A problem type is an error code in lower case with hyphens, for example not-found.",
      });
    const meaning = meaningOf(code);
    reply.header("cache-control", "public, max-age=3600").header("vary", "Accept");
    return request.headers.accept?.includes("text/html")
      ? reply.header("content-type", "text/html; charset=utf-8").send(page(meaning))
      : reply.send(meaning);
  });
}

function meaningOf(code: ErrorCode) {
  const { status, title, when } = errorCodes[code];
  return { type: problemType(code), code, status, title, meaning: when };
}

const escapeHtml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function page({ code, status, title, meaning }: ReturnType<typeof meaningOf>): string {
  const where =
    status === null
      ? "This code has no HTTP status. It occurs in results of asynchronous work and on websockets."
      : `HTTP status ${status}.`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1><p><code>${code}</code></p><p>${where}</p><p>${escapeHtml(meaning)}</p></html>`;
}
