import { JobProcess } from "./job-process.js";

/** A process of its own that looks often for retries and delayed jobs, so that tests do not wait for the looks. */
export const aQuickProcess = (): JobProcess => new JobProcess({ limits: { lookMs: 100 } });
