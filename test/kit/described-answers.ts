import { readFileSync } from "node:fs";
import { describedApi } from "@factory/rest-facade/described-api";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** An HTTP answer, as far as the OpenAPI document can describe it. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Described {
  readonly $ref?: string;
  readonly headers?: Record<string, { readonly required?: boolean }>;
  readonly content?: Record<string, { readonly schema?: object }>;
}

interface PathItem {
  readonly form: RegExp;
  readonly path: string;
  readonly methods: Record<string, { readonly operationId: string; readonly responses: Record<string, Described> }>;
}

/** The document, made when the first answer of a worker is compared. It is the one that the platform serves. */
let description: Description | undefined;

/** Throws where the OpenAPI document does not describe an answer. It has nothing about paths outside of it. */
export function requireDescribed(method: string, url: string, answer: Answer): void {
  description ??= new Description();
  const faults = description.faultsOf(method, url, answer);
  if (faults.length === 0) return;
  const shownText = answer.text.slice(0, 1000);
  throw new Error(
    `/openapi.json does not describe the answer ${answer.status} to ${method} ${url.slice(0, 200)}: ${faults.join(". ")}. ${shownText}`,
  );
}

/** The document's example of the body for a row of the route tables, for example `POST /v1/templates`. */
export function exampleBodyOf(at: string): Record<string, unknown> {
  description ??= new Description();
  return description.exampleBodyOf(at);
}

/** Headers that tell a client what to do. An answer has one of them only where the document names it. */
const clientHeaders = [
  ...["content-range", "etag", "idempotent-replayed", "link", "location"],
  ...["preference-applied", "retry-after", "www-authenticate"],
];

/** The statuses for a method that a path does not have: the listener and the token may refuse it first. */
const methodRefusals = [
  "400",
  "401",
  "403",
  "404",
  "405",
  "408",
  "413",
  "414",
  "415",
  "417",
  "429",
  "431",
  "500",
  "503",
];

class Description {
  readonly #document: {
    paths: Record<string, PathItem["methods"]>;
    components: { examples: Record<string, { readonly value: Record<string, unknown> }> };
  };
  readonly #items: readonly PathItem[];
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: true, unicodeRegExp: true, allErrors: false });

  constructor() {
    const sdl = readFileSync(new URL("../../schema/supergraph.graphql", import.meta.url), "utf8");
    this.#document = describedApi(sdl) as never;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, "openapi");
    this.#items = Object.entries(this.#document.paths)
      .map(([path, methods]) => ({ path, methods, form: formOf(path) }))
      // a path without parameters is looked up first (OpenAPI 3.1, "Path Templating Matching")
      .sort((one, other) => Number(one.path.includes("{")) - Number(other.path.includes("{")));
  }

  faultsOf(method: string, url: string, answer: Answer): string[] {
    const path = url.split(/[?#]/, 1)[0] ?? "";
    const item = this.#items.find(({ form }) => form.test(path));
    if (!item || method === "OPTIONS") return [];
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    const operation = item.methods[name];
    const status = String(answer.status);
    if (!operation)
      return methodRefusals.includes(status) ? [] : [`The path has no method ${method}, and its answer is ${status}`];
    const response = operation.responses[status];
    if (!response) return [`The status ${status} is not documented`];
    const place = response.$ref?.slice(2) ?? `paths/${pointer(item.path)}/${name}/responses/${status}`;
    return this.#faultsOfAnswer(place, this.#at(place), answer, method === "HEAD");
  }

  exampleBodyOf(at: string): Record<string, unknown> {
    const [method = "", path = ""] = at.split(" ");
    const { operationId } = this.#document.paths[path]?.[method.toLowerCase()] ?? {};
    const name = `${operationId?.charAt(0).toUpperCase()}${operationId?.slice(1)}Request`;
    return structuredClone(this.#document.components.examples[name]?.value ?? {});
  }

  #at(place: string): Described {
    return place
      .split("/")
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[unescaped(key)], this.#document) as Described;
  }

  #faultsOfAnswer(place: string, { headers = {}, content }: Described, answer: Answer, isBare: boolean): string[] {
    const wrongHeaders = [
      ...clientHeaders
        .filter((name) => answer.headers.has(name) && !Object.hasOwn(headers, name))
        .map((name) => `The header ${name} is not documented`),
      ...Object.entries(headers)
        .filter(([name, { required }]) => required && !answer.headers.has(name))
        .map(([name]) => `The header ${name} is missing`),
    ];
    const type = answer.headers.get("content-type")?.split(";", 1)[0] ?? "";
    // a redirect may have a page for people or nothing
    if (isBare || (answer.text === "" && answer.status >= 300 && answer.status < 400)) return wrongHeaders;
    if (!content) return [...wrongHeaders, ...(answer.text === "" ? [] : [`A body of ${type} is not documented`])];
    const described = content[type];
    if (!described) return [...wrongHeaders, `The content type ${type || "(none)"} is not documented`];
    if (!described.schema || !type.endsWith("json")) return wrongHeaders;
    return [...wrongHeaders, ...this.#faultsOfBody(`${place}/content/${pointer(type)}/schema`, answer.text)];
  }

  #faultsOfBody(place: string, text: string): string[] {
    const validate = this.#ajv.getSchema(`openapi#/${encodeURI(place)}`) as ValidateFunction | undefined;
    if (!validate) throw new Error(`The document has no schema at ${place}`);
    if (validate(JSON.parse(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `The body at "${instancePath}" ${message} ${JSON.stringify(params)}`,
    );
  }
}

const pointer = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");
const unescaped = (key: string) => key.replaceAll("~1", "/").replaceAll("~0", "~");

function formOf(path: string): RegExp {
  const source = path
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`))
    .join("[^/]+");
  return new RegExp(`^${source}$`);
}
