import { DomainError } from "@factory/runtime/errors/domain-error";

type Configuration = Readonly<Record<string, string>>;

const parts = /^(https?:\/\/[^/?#\\]+)(.*)$/i;
const placeholder = /\{([A-Za-z][A-Za-z0-9_-]{0,99})\}/g;

/**
 * A call's URL: the path behind the base URL, with placeholders filled from the configuration. Its origin is the base
 * URL's: a placeholder may not stand in the host, and a value cannot add a segment to the path.
 */
export function vendorUrl(
  baseUrl: string,
  configuration: Configuration,
  { path = "", query = {} }: { path?: string; query?: Readonly<Record<string, string>> } = {},
): URL {
  const [, origin = "", basePath = ""] = parts.exec(baseUrl) ?? [];
  if (origin === "" || /[{}@]/.test(origin))
    throw invalid("The base URL of the provider must be http or https, with a host without placeholders.");
  const [base, baseQuery] = split(basePath);
  const [ownPath, ownQuery] = split(path);
  const url = placed(origin, fill(joined(base, ownPath), configuration));
  const search = [baseQuery, ownQuery].filter((text) => text !== "");
  url.search = search.map((text) => fill(text, configuration)).join("&");
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url;
}

/** The connection's settings that a URL's placeholders name. */
export const namedSettings = (url: string, configuration: Configuration): [name: string, value: string][] =>
  [...url.matchAll(placeholder)].map(([, name = ""]) => [
    name,
    (Object.hasOwn(configuration, name) ? configuration[name] : undefined) ?? "",
  ]);

/** The parser resolves "." and "..", and reads "\\" as "/", so a path that it changes may leave the base URL. */
function placed(origin: string, path: string): URL {
  if (!URL.canParse(origin + path)) throw invalid("The base URL of the provider and the path are not a URL.");
  const url = new URL(origin + path);
  if (url.origin !== new URL(origin).origin || hasDotSegment(path))
    throw invalid("The path leaves the base URL of the provider.");
  return url;
}

function joined(base: string, path: string): string {
  if (path === "") return base === "" ? "/" : base;
  return `${base.replace(/\/$/, "")}/${path.replace(/^\//, "")}`;
}

/** The path and the query, without the fragment. */
function split(text: string): [path: string, query: string] {
  const [whole = ""] = text.split("#");
  const mark = whole.indexOf("?");
  return mark === -1 ? [whole, ""] : [whole.slice(0, mark), whole.slice(mark + 1)];
}

const hasDotSegment = (path: string): boolean =>
  path.includes("\\") || path.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment));

function fill(text: string, configuration: Configuration): string {
  return text.replace(placeholder, (_, name: string) => {
    const value = Object.hasOwn(configuration, name) ? configuration[name] : undefined;
    if (value === undefined || value === "")
      throw invalid(`The connection needs the configuration value "${name}". Change the connection, then try again.`);
    return encodeURIComponent(value);
  });
}

const invalid = (detail: string) => new DomainError("VALIDATION_FAILED", { detail });
