import type {
  PullRequestPlaces,
  PullRequestState,
  SourceControlForm,
} from "../../providers/provider-drivers/source-control-form.js";
import { valueInPayload } from "../vendor-commands/answer-value.js";

/** A pull request as its vendor describes it. */
export interface VendorPullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: PullRequestState;
  readonly branch: string;
  /** Whether the branch is in the repository itself, and not in a fork. */
  readonly isOwnBranch: boolean;
  /** ISO 8601; null where the vendor does not tell. */
  readonly openedAt: string | null;
  readonly changedAt: string | null;
  readonly mergedAt: string | null;
  readonly closedAt: string | null;
}

/** Reads the pull request in an answer or a delivery; undefined when a value is missing or cannot be. */
export function readPullRequest(
  { states }: Pick<SourceControlForm, "states">,
  places: PullRequestPlaces,
  payload: unknown,
): VendorPullRequest | undefined {
  const text = (place: string) => valueInPayload(payload, place);
  const time = (place: string) => timeOf(text(place));
  const number = Number(text(places.number));
  const [url, branch, stateText] = [text(places.url), text(places.branch), text(places.state)];
  const listedState = stateText !== null && Object.hasOwn(states, stateText) ? states[stateText] : undefined;
  if (!isNumber(number) || url === null || !isWebUrl(url) || branch === null || listedState === undefined)
    return undefined;
  const [source, target] = places.origins.map(text);
  const mergedAt = time(places.mergedAt);
  const state = mergedAt === null ? listedState : "Merged";
  const changedAt = time(places.changedAt);
  return {
    ...{ number, url, state, branch, changedAt, isOwnBranch: source !== null && source === target },
    openedAt: time(places.openedAt),
    mergedAt: state === "Merged" ? (mergedAt ?? changedAt) : null,
    closedAt: state === "Open" ? null : (time(places.closedAt) ?? mergedAt ?? changedAt),
  };
}

const isNumber = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= 2_147_483_647;

const isWebUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function timeOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
