/** Headers that would let a caller choose the server or the message's framing. */
const reservedHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "expect",
  "upgrade",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
]);

/** Whether callers may not set this header. */
export const isReservedHeader = (name: string): boolean => reservedHeaders.has(name.toLowerCase());
