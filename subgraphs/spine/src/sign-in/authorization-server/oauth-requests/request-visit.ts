import type { IncomingMessage } from "node:http";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import type { KoaContextWithOIDC } from "oidc-provider";

/** Where a session or a grant is made: the device, its address, and the browser's session. */
export interface RequestVisit {
  readonly userAgent: string | undefined;
  readonly address: string | undefined;
  readonly sessionUid: string | undefined;
}

const maxUserAgent = 200;

export function requestVisit(request: IncomingMessage, sessionUid: string | undefined): RequestVisit {
  const { address, userAgent } = originOfRequest(request);
  return { address, userAgent: userAgent?.slice(0, maxUserAgent), sessionUid };
}

/** The visit for the request that oidc-provider serves; undefined outside a request. */
export const currentVisit = (context: KoaContextWithOIDC | undefined): RequestVisit | undefined =>
  context && requestVisit(context.req, context.oidc?.session?.uid);
