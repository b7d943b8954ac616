/** The request and the response of one attempt as its log keeps them: bounded, and without secrets. */
export interface LoggedExchange {
  requestUrl: string | null;
  requestHeaders: Readonly<Record<string, string>> | null;
  responseHeaders: Readonly<Record<string, string>> | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const redacted = "[redacted]";
const maxHeaders = 32;
const maxValueLength = 256;

/** The headers of a request that the platform sets itself. All others may be secrets of the tenant. */
const plain = new Set([
  "content-type",
  "svc-schema-version",
  "traceparent",
  "user-agent",
  "webhook-id",
  "webhook-timestamp",
]);

/** Words in the names of response headers that often carry secrets. */
const suspicious = /auth|cookie|credential|key|password|secret|session|signature|token/i;

export const loggedRequestHeaders = (headers: Headers): Record<string, string> =>
  logged(headers, (name) => plain.has(name.toLowerCase()));

export const loggedResponseHeaders = (headers: Headers): Record<string, string> =>
  logged(headers, (name) => !suspicious.test(name));

function logged(headers: Headers, isShown: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(headers).slice(0, maxHeaders);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isShown(name) ? textOf(value).slice(0, maxValueLength) : redacted]),
  );
}

/** PostgreSQL keeps no NUL in text. */
const textOf = (value: string | string[] | undefined): string => [value ?? []].flat().join(", ").replaceAll("\0", "");
