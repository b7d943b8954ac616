import type { AskedAuthorization } from "./authorization-flow.js";

const common = {
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
};

/** The headers for an answer in plain text. */
export const textHeaders = {
  ...common,
  "content-type": "text/plain; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** The page's headers: it runs no script and loads nothing. Its form leads to the vendor, over a redirect. */
export const pageHeaders = (vendorOrigin: string) => ({
  ...common,
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self' ${vendorOrigin}`,
});

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

/** Asks the person to go on, so that nobody gives access to an account by following somebody else's link. */
export function askPage(authorization: AskedAuthorization, confirmation: string): string {
  const { displayName, providerKey, requestedBy, vendor, tokenHost } = authorization;
  const elsewhere =
    tokenHost === vendor.host
      ? ""
      : `\n<p>The answer of ${escapeHtml(vendor.host)} is sent to another host, <strong>${escapeHtml(tokenHost)}</strong>, which gives the access. Continue only if this host is of the same vendor.</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Authorize a connection</title>
</head>
<body>
<main>
<h1>Authorize a connection</h1>
<p>The connection <strong>${escapeHtml(displayName)}</strong> (provider ${escapeHtml(providerKey)}) gets access to your account at <strong>${escapeHtml(vendor.host)}</strong>. The principal ${escapeHtml(requestedBy)} has asked for it.</p>${elsewhere}
<p>Continue only if you or somebody whom you trust has asked for this just now. Otherwise close this page.</p>
<form method="post"><input type="hidden" name="formToken" value="${escapeHtml(confirmation)}"><button>Continue to ${escapeHtml(vendor.host)}</button></form>
</main>
</body>
</html>
`;
}
