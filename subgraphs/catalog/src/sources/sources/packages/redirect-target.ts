import { RemoteBlocked } from "../../../git/git/remote-policy.js";
import { sourceUnavailable } from "../references/source-failure.js";

/** A redirect's target. The caller still checks it by the policy. */
export function redirectTarget(from: URL, location: string | string[] | undefined): URL {
  if (typeof location !== "string" || !URL.canParse(location, from.href)) {
    throw sourceUnavailable("The template source answered with a redirect without a valid address.");
  }
  const target = new URL(location, from);
  if (from.protocol === "https:" && target.protocol !== "https:")
    throw new RemoteBlocked("it redirects away from https");
  return target;
}
