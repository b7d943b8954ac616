import { DomainError } from "@factory/runtime/errors/domain-error";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import fastifySwagger from "@fastify/swagger";
import fastifySwaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { type MemoryDocument, memoryDocument, sendDocument } from "../http/memory-document.js";
import { isErrorCode, problemType } from "../http/problem.js";
import { addressed, type OpenApiDocument } from "./openapi.js";

/** Swagger UI's Content-Security-Policy. It sets styles inline and loads everything from this server. */
const uiPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** The OpenAPI document that is served. It changes with the graph. */
export class ServedApi {
  /** One object for as long as the process runs: Swagger UI keeps it. */
  readonly document = {} as OpenApiDocument;
  #publicUrl = "";
  #text: MemoryDocument | undefined;

  replace(document: OpenApiDocument): void {
    const members = addressed(document, this.#publicUrl);
    for (const member of Object.keys(this.document)) delete (this.document as Record<string, unknown>)[member];
    Object.assign(this.document, members);
    this.#text = undefined;
  }

  /** Writes absolute addresses, which are known after the listener is open. */
  publishAt(publicUrl: string): void {
    this.#publicUrl = publicUrl;
    this.replace({ ...this.document });
  }

  get text(): MemoryDocument {
    this.#text ??= memoryDocument(JSON.stringify(this.document), "application/json");
    return this.#text;
  }
}

/** Serves `/openapi.json`, `/docs` (also from `/`), and a page for each problem type. */
export async function serveDocs(app: FastifyInstance, api: ServedApi): Promise<void> {
  app.get("/", (_request, reply) => reply.redirect("/docs", 302));
  app.get("/openapi.json", (request, reply) => sendDocument(request, reply, api.text, "no-cache"));
  await app.register(fastifySwagger, { mode: "static", specification: { document: api.document as never } });
  await app.register(fastifySwaggerUi, {
    routePrefix: "/docs",
    staticCSP: uiPolicy,
    uiConfig: { layout: "BaseLayout", docExpansion: "list", persistAuthorization: false },
    theme: { title: "API of the software factory platform" },
  });
  serveProblemTypes(app);
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
