import type { FastifyReply } from "fastify";

/** Adds a value to a header that is a list, and keeps the values that others have set. */
export function addHeader(reply: FastifyReply, name: string, value: string): void {
  const others = reply.getHeader(name);
  reply.header(name, others === undefined ? value : `${String(others)}, ${value}`);
}
