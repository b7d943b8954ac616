/** The package has no types of its own. These are the parts that the bench uses. */
declare module "autocannon" {
  export interface LoadRequest {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
  }

  export interface LoadOptions {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    readonly requests: readonly LoadRequest[];
    /** Replaces `[<id>]` in bodies by a unique id for each request. */
    readonly idReplacement?: boolean;
    /** Threads that send the requests. */
    readonly workers?: number;
  }

  export interface LoadResult {
    readonly "2xx": number;
    readonly non2xx: number;
    readonly errors: number;
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number };
  }

  export default function autocannon(options: LoadOptions): Promise<LoadResult>;
}
