import { RemoteBlocked } from "../../git/remote-policy.js";
import { sourceUnavailable } from "../references/source-failure.js";

/** Where a redirect leads; whether it may be followed there is still the policy's to say. */
export function redirectTarget(from: URL, location: string | string[] | undefined): URL {
  if (typeof location !== "string" || !URL.canParse(location, from.href)) {
    throw sourceUnavailable("The template source answers with a redirect to no address.");
  }
  const target = new URL(location, from);
  if (from.protocol === "https:" && target.protocol !== "https:")
    throw new RemoteBlocked("it redirects away from https");
  return target;
}
