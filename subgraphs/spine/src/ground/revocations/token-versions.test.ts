import fc from "fast-check";
import { waitsFor } from "../../people/users/user.fixture.js";
import { RunningSpine } from "../../running-spine.fixture.js";
import { PartyClocks } from "./party-clocks.fixture.js";
import { SlowVerifier } from "./slow-verifier.fixture.js";
import {
  type ChangeKind,
  changeKinds,
  type IssueKind,
  type OpenChange,
  VersionStage,
} from "./version-stage.fixture.js";

const minuteMs = 60_000;
/** The clocks for the two processes that issue tokens. */
const issuers = [3 * minuteMs, -4 * minuteMs] as const;

let platform: RunningSpine;
let clocks: PartyClocks;
let stage: VersionStage;
let verifiers: SlowVerifier[];
/** How often each answer was right. */
let verdicts: Map<string, number>;

beforeAll(async () => {
  clocks = new PartyClocks();
  platform = await RunningSpine.start({ rateLimitFactor: 1000 });
  stage = await VersionStage.start(platform, clocks, issuers);
  verifiers = await Promise.all(
    [3, 8, -2].map((minutes) => SlowVerifier.start(platform, () => clocks.now(minutes * minuteMs))),
  );
  verdicts = new Map();
});

afterAll(async () => {
  await Promise.all((verifiers ?? []).map((verifier) => verifier.stop()));
  await stage?.stop();
  await platform?.stop();
  clocks?.restore();
});

/** Every verifier answers to every token by the token's facts and by what the verifier was told. */
async function verifyAll(): Promise<void> {
  for (const [place, verifier] of verifiers.entries())
    for (const facts of stage.issued) {
      const expectedVerdict = verifier.expected(facts);
      const verdict = await verifier.verdict(facts.token);
      if (verdict === undefined) continue;
      expect([place, facts, verdict]).toEqual([place, facts, expectedVerdict]);
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    }
}

const settle = (changes: readonly OpenChange[]) =>
  Promise.all(verifiers.flatMap((verifier) => changes.map(({ revoked }) => verifier.settle(...revoked))));

/** A request that has read the client and the user, and now waits to read the roles. */
async function anIssueBeforeTheRoles() {
  await stage.signInAgain(1);
  const resume = await stage.pause();
  const issuing = stage.issue("refresh", 0);
  await waitsFor(platform, "%role_assignments%");
  return { resume, issuing };
}

describe("a token", () => {
  beforeEach(() => void stage.issued.splice(0));

  it("does not get the version of a change whose facts it does not have", async () => {
    const { resume, issuing } = await anIssueBeforeTheRoles();
    // the versions are locked, but the facts are not: they can be read as they were before
    const change = await stage.change("role", { isFirst: true, locksVersions: true });
    await resume();
    await Promise.race([issuing, waitsFor(platform, "%subject_versions%")]);
    await change.end("commit");
    await issuing;
    await settle([change]);
    expect(stage.issued).toHaveLength(1);
    await verifyAll();
  });

  it("is good at once when a role was taken while it was issued, and its facts are from afterwards", async () => {
    const { resume, issuing } = await anIssueBeforeTheRoles();
    const change = await stage.change("role", { isFirst: false, locksVersions: false });
    await change.end("commit");
    await settle([change]);
    await resume();
    await issuing;
    expect(stage.issued).toHaveLength(1);
    await verifyAll();
    expect(verifiers.map((verifier) => stage.issued.map((facts) => verifier.expected(facts)))).toEqual(
      verifiers.map(() => ["accepted"]),
    );
  });

  it("is not issued with what a new password has ended while it was issued", async () => {
    const { resume, issuing } = await anIssueBeforeTheRoles();
    const change = await stage.change("password", { isFirst: true, locksVersions: false });
    await change.end("commit");
    await resume();
    await issuing;
    expect(stage.issued).toEqual([]);
  });

  it("is refused also by a verifier that no notification reaches", async () => {
    const deaf = await SlowVerifier.start(platform, () => clocks.now(8 * minuteMs), false);
    try {
      await stage.signInAgain(1);
      await stage.issue("refresh", 0);
      const token = stage.issued[0]?.token ?? "";
      expect(await deaf.verdict(token)).toBe("accepted");
      const change = await stage.change("role", { isFirst: true, locksVersions: false });
      await change.end("commit");
      await deaf.settle(...change.revoked);
      expect(await deaf.verdict(token)).toBe("TOKEN_INVALID");
    } finally {
      await deaf.stop();
    }
  });
});

type Step =
  | { readonly issue: IssueKind; readonly process: number }
  | { readonly change: ChangeKind; readonly isFirst: boolean; readonly locksVersions: boolean }
  | { readonly end: "commit" | "rollback" }
  | { readonly pause: true }
  | { readonly deliver: number; readonly verifier: number }
  | { readonly restart: number }
  | { readonly waitMs: number }
  | { readonly verify: true };

const process = fc.constantFrom(0, 1);
const verifier = fc.constantFrom(0, 1, 2);
const issue: fc.Arbitrary<Step> = fc.record({
  issue: fc.constantFrom<IssueKind>("refresh", "refresh", "service", "exchange"),
  process,
});
const change: fc.Arbitrary<Step> = fc.record({
  change: fc.constantFrom(...changeKinds),
  isFirst: fc.boolean(),
  locksVersions: fc.boolean(),
});
const end: fc.Arbitrary<Step> = fc.record({ end: fc.constantFrom("commit", "commit", "commit", "rollback") });
const wait: fc.Arbitrary<Step> = fc.record({ waitMs: fc.integer({ min: 0, max: 40 }) });
const pause: fc.Arbitrary<Step> = fc.constant({ pause: true });
/** A change begins while requests wait for the roles, and ends when they have gone on. */
const race = fc.tuple(pause, issue, issue, wait, change, pause, wait, end);
const steps = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.tuple(issue) },
      { weight: 4, arbitrary: fc.tuple(change) },
      { weight: 4, arbitrary: fc.tuple(end) },
      { weight: 2, arbitrary: fc.tuple(pause) },
      { weight: 3, arbitrary: race },
      { weight: 3, arbitrary: fc.tuple(fc.record({ deliver: fc.integer({ min: 1, max: 3 }), verifier })) },
      { weight: 1, arbitrary: fc.tuple(fc.record({ restart: verifier })) },
      { weight: 2, arbitrary: fc.tuple(wait) },
      { weight: 2, arbitrary: fc.tuple(fc.constant({ verify: true } as const)) },
    ),
    { minLength: 15, maxLength: 35 },
  )
  .map((parts) => parts.flatMap((part): readonly Step[] => part));

/** Random steps may leave the tenant open, and then no verifier says that it is closed. */
const everyVerdict: Step[] = [
  ...[{ issue: "refresh", process: 0 } as const, { issue: "service", process: 1 } as const],
  ...[{ change: "role", isFirst: true, locksVersions: false } as const, { end: "commit" } as const],
  ...[{ change: "tenant", isFirst: true, locksVersions: false } as const, { end: "commit" } as const],
];

/** One interleaving of changes, requests and verifications. */
class Play {
  readonly #open: (OpenChange & { readonly locksVersions: boolean })[] = [];
  readonly #ended: OpenChange[] = [];
  readonly #requests: Promise<void>[] = [];
  #resume: (() => Promise<void>) | undefined;

  async play(step: Step): Promise<void> {
    if ("issue" in step) this.#requests.push(stage.issue(step.issue, step.process));
    else if ("change" in step) await this.#change(step);
    else if ("end" in step) await this.#end(step.end);
    else if ("pause" in step) await this.#pause();
    else if ("deliver" in step) verifiers[step.verifier]?.deliver(step.deliver);
    else if ("restart" in step) await verifiers[step.restart]?.restart();
    else if ("waitMs" in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
    else await verifyAll();
  }

  async #change({ change, isFirst, locksVersions }: Extract<Step, { change: unknown }>): Promise<void> {
    const isSame = (kind: string) => kind.startsWith("role") || kind === "password";
    const clashes = this.#open.some(
      ({ kind, locksVersions: isLocking }) =>
        isLocking || locksVersions || kind === change || (isSame(kind) && isSame(change)),
    );
    if (!clashes) this.#open.push({ ...(await stage.change(change, { isFirst, locksVersions })), locksVersions });
  }

  async #end(how: "commit" | "rollback"): Promise<void> {
    const change = this.#open.shift();
    await change?.end(how);
    if (change && how === "commit") this.#ended.push(change);
  }

  async #pause(): Promise<void> {
    const resume = this.#resume;
    this.#resume = resume ? undefined : await stage.pause();
    await resume?.();
  }

  /** Ends everything that is under way. Then every verifier knows everything, and a new token is good at once. */
  async finish(): Promise<void> {
    while (this.#open.length > 0) await this.#end("commit");
    if (this.#resume) await this.#pause();
    await Promise.all(this.#requests);
    await verifyAll();
    await settle(this.#ended);
    await verifyAll();
    if (stage.isClosed) {
      await this.#change({ change: "tenant", isFirst: true, locksVersions: false });
      await this.#end("commit");
    }
    await settle(this.#ended);
    await verifyAll();
    const before = stage.issued.length;
    await stage.signInAgain(2);
    for (const kind of ["refresh", "service", "exchange"] as const)
      for (const at of [0, 1]) await stage.issue(kind, at);
    const fresh = stage.issued.slice(before);
    expect(fresh.length).toBeGreaterThanOrEqual(4);
    for (const facts of fresh)
      expect(verifiers.map((each) => each.expected(facts))).toEqual(verifiers.map(() => "accepted"));
    await verifyAll();
  }
}

describe("revocation by version", () => {
  it("refuses exactly the tokens with older facts, however changes, requests and messages interleave", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (playedSteps) => {
        stage.issued.splice(0);
        await stage.signInAgain(4);
        const play = new Play();
        let failure: unknown;
        try {
          for (const step of playedSteps) await play.play(step);
        } catch (error) {
          failure = error;
        }
        await play.finish();
        if (failure) throw failure;
      }),
      { numRuns: 12, endOnFailure: true, examples: [[everyVerdict]] },
    );
    expect([...verdicts.keys()].toSorted()).toEqual(["TENANT_SUSPENDED", "TOKEN_INVALID", "accepted"]);
  });
});
