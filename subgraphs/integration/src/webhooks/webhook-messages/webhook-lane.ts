/** The messages for one webhook subscription to one origin. They are sent as they become due. */
export interface WebhookLane {
  /** uuid */
  readonly tenant: string;
  /** The receiver's scheme, host and port. */
  readonly origin: string;
  /** uuid */
  readonly subscription: string;
}

/** A lane's key. UUIDs and origins contain no space, so different lanes have different keys. */
export const laneKey = ({ tenant, origin, subscription }: WebhookLane): string => `${tenant} ${origin} ${subscription}`;

/** A URL's origin. Empty for a URL that cannot be parsed; the attempt then reports the error. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "");

/** A lane's messages that keep their order for each partition key. */
export interface OrderedKeys {
  readonly lane: WebhookLane;
  readonly keys: readonly string[];
}
