import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { Caller } from "./caller.ts";
import { openApiFile } from "./served-documents.ts";
import { aCodeFolder } from "./strict-compiler.ts";

/** A request, or a folder of them, as far as a sender needs it (Postman Collection 2.1). */
interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: ImportedRequest;
}

interface ImportedRequest {
  readonly method: string;
  readonly url: {
    readonly path: readonly string[];
    readonly query?: readonly Pair[];
    readonly variable?: readonly Pair[];
  };
  readonly header?: readonly Pair[];
  readonly auth?: { readonly type: string } | null;
  readonly body?: { readonly mode: string; readonly raw?: string; readonly urlencoded?: readonly Pair[] };
}

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Collection extends Item {
  readonly variable: readonly Pair[];
}

interface Document {
  readonly components: { readonly responses?: Responses };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly responses: Responses;
}

type Responses = Readonly<
  Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> }>
>;

type Conversion = {
  readonly result: boolean;
  readonly reason?: string;
  readonly output: readonly [{ data: Collection }];
};
type Convert = (
  input: { type: "string"; data: string },
  options: { parametersResolution: "Example" },
  done: (error: Error | null, conversion: Conversion) => void,
) => void;

// the package has no declarations
const { convertV2 } = createRequire(import.meta.url)("openapi-to-postmanv2") as { convertV2: Convert };

const maxShownText = 300;

const caller = await Caller.open();
const folder = await aCodeFolder();
after(() => rm(folder, { recursive: true }));
const text = await readFile(await openApiFile(folder), "utf8");
const document = JSON.parse(text) as Document;

/** The import of Postman with the setting "Parameter generation: Example". The other one sends `<string>` for each text. */
const collection = await new Promise<Collection>((resolve, reject) => {
  convertV2({ type: "string", data: text }, { parametersResolution: "Example" }, (error, { result, reason, output }) =>
    result ? resolve(output[0].data) : reject(error ?? new Error(reason)),
  );
});

const baseUrl = collection.variable.find(({ key }) => key === "baseUrl")?.value ?? "";
const requestsOf = ({ item = [], request }: Item): ImportedRequest[] =>
  request ? [request] : item.flatMap((inner) => requestsOf(inner));
const enabled = (pairs: readonly Pair[] = []) =>
  pairs.filter(({ disabled }) => !disabled).map(({ key, value }): [string, string] => [key, value]);

const templateOf = ({ url: { path } }: ImportedRequest) =>
  `/${path.map((segment) => segment.replace(/^:(.*)$/, "{$1}")).join("/")}`;

function addressOf({ url: { path, query, variable = [] } }: ImportedRequest): string {
  const values = new Map(enabled(variable));
  const segments = path.map((segment) =>
    segment.startsWith(":") ? encodeURIComponent(values.get(segment.slice(1)) ?? "") : segment,
  );
  const search = new URLSearchParams(enabled(query)).toString();
  return `${baseUrl}/${segments.join("/")}${search === "" ? "" : `?${search}`}`;
}

interface Answer {
  readonly line: string;
  readonly status: number;
  /** The media type, or an empty text for an answer without a body. */
  readonly type: string;
  readonly text: string;
}

/** Sends a request as it was imported, with a token. */
async function send(request: ImportedRequest): Promise<Answer> {
  const { method, body } = request;
  const headers = new Headers(enabled(request.header));
  // a request without a scheme is for callers without a token
  if (request.auth) headers.set("authorization", caller.headers.authorization);
  const content = body?.mode === "urlencoded" ? new URLSearchParams(enabled(body.urlencoded)) : body?.raw;
  const response = await fetch(addressOf(request), {
    method,
    headers,
    redirect: "manual",
    ...(content === undefined ? {} : { body: content }),
  });
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  const answer = { line: `${method} ${templateOf(request)}`, status: response.status, type };
  if (type !== "text/event-stream") return { ...answer, text: await response.text() };
  // a stream of events does not end
  await response.body?.cancel();
  return { ...answer, text: "" };
}

const isRefusedForForm = ({ status, text }: Answer) =>
  [400, 415, 422].includes(status) || (status === 403 && text.includes("TENANT_MISMATCH"));

function isDescribed({ line, status, type }: Answer): boolean {
  const [method = "", template = ""] = line.split(" ");
  const response = document.paths[template]?.[method.toLowerCase()]?.responses[status];
  const shared = response?.$ref?.split("/").at(-1);
  const described = shared === undefined ? response : document.components.responses?.[shared];
  return described !== undefined && (type === "" || Object.hasOwn(described.content ?? {}, type));
}

const answers: Answer[] = [];
for (const request of requestsOf(collection)) answers.push(await send(request));
const shown = (selection: readonly Answer[]) =>
  selection.map(({ line, status, type, text }) => `${line}: ${status} ${type} ${text.slice(0, maxShownText)}`);

test("Postman imports each operation of the document with the address of the platform", () => {
  equal(baseUrl, new URL(caller.graphUrl).origin);
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.keys(path).filter((member) => ["get", "put", "post", "patch", "delete"].includes(member)),
  );
  equal(answers.length, operations.length);
});

test("at least 95 % of the imported requests are not refused for their form", () => {
  const refused = answers.filter(isRefusedForForm);
  ok(refused.length <= answers.length * 0.05, `${refused.length} of ${answers.length}:\n${shown(refused).join("\n")}`);
});

test("each answer to an imported request is in the document", () =>
  deepEqual(shown(answers.filter((answer) => !isDescribed(answer))), []));
