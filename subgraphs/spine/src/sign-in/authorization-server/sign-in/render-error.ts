import { isTemporary } from "@factory/runtime/errors/unavailable";
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import { errorPage } from "../../../ground/pages/error.page.js";
import { pageHeaders, pageText } from "../../../ground/pages/page.js";

/** Shows an authorization endpoint error that must not, or cannot, be sent back to the client. */
export function renderError(context: KoaContextWithOIDC, _out: unknown, error: unknown): void {
  const unavailable = isTemporary(error);
  const { title, detail } = textOf(error, unavailable);
  const traceId = String(context.res.getHeader("x-trace-id") ?? "");
  if (unavailable) context.status = 503;
  context.set(pageHeaders({ headers: unavailable ? { "retry-after": "1" } : {} }));
  context.body = pageText(errorPage({ title, detail, traceId }));
}

function textOf(error: unknown, unavailable: boolean): { title: string; detail: string } {
  if (unavailable)
    return { title: "Not available right now", detail: "We cannot sign you in at the moment. Try again in a minute." };
  if (error instanceof errors.SessionNotFound)
    return {
      title: "This sign-in has ended",
      detail:
        "The sign-in took too long, or your browser does not keep cookies. Go back to the application and start again.",
    };
  if (error instanceof errors.InvalidRedirectUri || error instanceof errors.InvalidClient)
    return {
      title: "This sign-in cannot go on",
      detail:
        "The application is unknown here, or the address it wants to return to is not registered for it. Tell its operator.",
    };
  if (error instanceof errors.OIDCProviderError && error.expose)
    return {
      title: "This sign-in cannot go on",
      detail: `The application sent a request that cannot be served: ${sentence(error.error_description ?? error.error)}`,
    };
  return {
    title: "That did not work",
    detail: "Something went wrong on our side. Go back to the application and start again.",
  };
}

const sentence = (text: string) => (text.endsWith(".") ? text : `${text}.`);
