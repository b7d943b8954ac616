import { JobProcess } from "./job-process.js";

/** A separate process that looks often for retries and delayed jobs, so that tests do not wait for the looks. */
export const aQuickProcess = (): JobProcess => new JobProcess({ limits: { lookMs: 100 } });
