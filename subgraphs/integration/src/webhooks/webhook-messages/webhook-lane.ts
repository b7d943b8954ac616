/** The messages of one webhook subscription to one origin. They are sent in the order of their due times. */
export interface WebhookLane {
  /** uuid */
  readonly tenant: string;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  /** uuid */
  readonly subscription: string;
}

/** The key of a lane. UUIDs and origins contain no space, so the keys of different lanes differ. */
export const laneKey = ({ tenant, origin, subscription }: WebhookLane): string => `${tenant} ${origin} ${subscription}`;

/** The origin of a URL. Empty for a URL that cannot be parsed; the attempt then reports the error. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "");

/** Messages of a lane that keep their order for each partition key. */
export interface OrderedKeys {
  readonly lane: WebhookLane;
  readonly keys: readonly string[];
}
