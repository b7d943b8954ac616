import { isFileOutage } from "../../errors/file-failure.js";
import { isOutage } from "../../errors/unavailable.js";
import { folderWatch } from "../../files/folder-watch.js";

/** How a job is given back after a failure that does not count as an attempt. */
interface UncountedFailure {
  readonly delaySeconds: number;
  /** The platform's folders are known to fail, so the job cannot be the cause, however often it meets the failure. */
  readonly isBlameless: boolean;
}

/** Undefined for a failure that counts: it is neither a planned stop nor a database or file outage. */
export function uncountedFailure(
  error: unknown,
  { isStopping, outageDelaySeconds }: { isStopping: boolean; outageDelaySeconds: number },
): UncountedFailure | undefined {
  if (!isStopping && !isOutage(error)) return undefined;
  return {
    delaySeconds: isStopping ? 0 : outageDelaySeconds,
    isBlameless: isFileOutage(error) && folderWatch.isScarce,
  };
}
