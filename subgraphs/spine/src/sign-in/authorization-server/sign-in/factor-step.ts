import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { methodsOfEnrolment } from "@factory/schema/authentication-levels";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { type PageAnswer, sendPage } from "../../../ground/pages/page.js";
import {
  type FactorKind,
  type FactorPerson,
  type FactorProblem,
  type FactorProof,
  isProof,
} from "../../second-factors/kinds/factor-kind.js";
import type { LinkRequest } from "../../second-factors/locks/unlock-links.js";
import type { UserAccount } from "../accounts/user-accounts.js";
import { factorPage } from "../factor-forms/factor.page.js";
import { factorVisit } from "../factor-forms/factor-visits.js";
import { lockedFields } from "../factor-forms/locked-fields.js";
import { factorAddedPage, recoveryCodesPage } from "../factor-forms/recovery-codes.page.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { cancelSignIn, finishSignIn } from "./finish-sign-in.js";
import { formActionOrigins } from "./form-action-origins.js";
import type { InteractionStep } from "./interaction-step.js";
import { neededLevel, needsSecondFactor } from "./needed-level.js";
import { endProgress, keepProgress, type Progress } from "./progress.js";

/** The kinds among which the person chooses: to prove a factor, or to add the first one. */
interface Choice {
  readonly purpose: "prove" | "add";
  readonly kinds: readonly FactorKind[];
}

/** The password is right. Finishes the sign-in, or asks for a second factor. */
export async function afterPassword(step: InteractionStep, user: UserAccount): Promise<void> {
  const { factors, interaction } = step;
  const { tenant, userId } = user;
  const level = neededLevel(interaction.params["acr_values"], await factors.requiredBy(tenant));
  if (!needsSecondFactor(level) && (await factors.usable(tenant, userId)).length === 0)
    return finishSignIn(step, user, ["pwd"]);
  await keepProgress(step, { userId, signInVersion: user.signInVersion });
  redirectToNextForm(step);
}

/** GET: asks for the second factor, or sets up the first one. */
export async function showFactorForm(step: InteractionStep, progress: Progress): Promise<void> {
  if (progress.methods) return sendPage(step.response, factorAddedPage(step.csrfToken), originsOf(step));
  const choice = await choiceOf(step, progress);
  const kindName = new URL(step.request.url ?? "", step.issuer).searchParams.get("factor");
  await show(step, progress, { choice, kind: kindOf(choice, kindName) });
}

/** POST: checks the second factor, or stores the first one, and finishes the sign-in. */
export async function submitFactor(step: InteractionStep, progress: Progress, form: URLSearchParams): Promise<void> {
  const { user } = progress;
  if (form.get("action") === "cancel") return cancelSignIn(step);
  if (progress.methods) return end(step, progress, progress.methods);
  const choice = await choiceOf(step, progress);
  const kind = kindOf(choice, form.get("factor"));
  const current = { choice, kind };
  if (form.get("request") === "unlock-link") {
    const linkRequest = await step.factors.locks.links.request(personOf(step, user));
    return show(step, progress, current, { linkRequest });
  }
  let answer: FactorProof | FactorProblem;
  try {
    answer = await check(step, progress, { ...current, form });
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== "RATE_LIMITED") throw error;
    const { retryAfterSeconds = 1 } = error.facts;
    const text = "Too many wrong answers. Wait a few minutes and try again.";
    const headers = { "retry-after": String(retryAfterSeconds) };
    return show(step, progress, current, { problem: { field: "code", text }, answer: { status: 429, headers } });
  }
  if (!isProof(answer))
    return show(step, progress, current, { problem: answer, answer: { status: answer.isLocked ? 403 : 400 } });
  if (choice.purpose === "prove") return end(step, progress, ["pwd", ...answer.amr, "mfa"]);
  const methods = ["pwd", ...methodsOfEnrolment(answer.amr), "mfa"];
  const codes = await step.factors.renewRecoveryCodes(personOf(step, user));
  await keepProgress(step, { ...progress, methods });
  sendPage(step.response, recoveryCodesPage({ csrfToken: step.csrfToken, codes }), originsOf(step));
}

async function choiceOf({ factors }: InteractionStep, { user }: Progress): Promise<Choice> {
  const usable = await factors.usable(user.tenant, user.userId);
  if (usable.length > 0) return { purpose: "prove", kinds: usable };
  return { purpose: "add", kinds: factors.kinds.all.filter(({ enrolment }) => enrolment !== undefined) };
}

/** The kind that the person has chosen, otherwise the first one. */
function kindOf({ kinds }: Choice, kindName: string | null): FactorKind {
  const kind = kinds.find(({ kind: name }) => name === kindName) ?? kinds[0];
  if (!kind) throw new Error("The platform offers no kind of second factor");
  return kind;
}

interface Answered {
  readonly choice: Choice;
  readonly kind: FactorKind;
}

function check(
  step: InteractionStep,
  { user }: Progress,
  { choice, kind, form }: Answered & { form: URLSearchParams },
): Promise<FactorProof | FactorProblem> {
  const person = personOf(step, user);
  const visit = visitOf(step, user, { choice, kind });
  if (choice.purpose === "add" && kind.enrolment) return kind.enrolment.finish(person, visit, form);
  return step.attempts.verify(kind, { person, visit, form, address: clientNetworkOf(step.request) });
}

async function end(step: InteractionStep, { user }: Progress, methods: readonly string[]): Promise<void> {
  await endProgress(step);
  try {
    await finishSignIn(step, user, methods);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    // the password was replaced meanwhile, so the sign-in begins again
    redirectToNextForm(step);
  }
}

interface Shown {
  readonly problem?: FactorProblem;
  readonly answer?: PageAnswer;
  /** How a request for an unlock link ended. */
  readonly linkRequest?: LinkRequest;
}

async function show(
  step: InteractionStep,
  { user }: Progress,
  { choice, kind }: Answered,
  { problem, answer = {}, linkRequest }: Shown = {},
): Promise<void> {
  const person = personOf(step, user);
  const visit = visitOf(step, user, { choice, kind });
  const adds = choice.purpose === "add";
  const isLocked = !adds && kind.isCode && (await step.factors.locks.isLocked(user.tenant, user.userId));
  const fields = isLocked
    ? lockedFields(linkRequest)
    : await (adds && kind.enrolment ? kind.enrolment.begin(person, visit) : kind.ask(person, visit));
  const page = factorPage({
    title: adds ? titleOf(kind) : kind.label,
    lead: adds
      ? `Your organization requires a second factor. You sign in as ${user.email}.`
      : `You sign in as ${user.email}.`,
    csrfToken: step.csrfToken,
    kind: kind.kind,
    fields,
    problem: isLocked ? undefined : problem,
    others: choice.kinds
      .filter((other) => other !== kind)
      .map((other) => ({ query: `factor=${other.kind}`, text: `${adds ? titleOf(other) : useOf(other)} instead` })),
  });
  sendPage(step.response, page, { ...answer, ...originsOf(step) });
}

const titleOf = ({ enrolment, label }: FactorKind) => enrolment?.title ?? label;

function useOf({ label }: FactorKind): string {
  const name = label.charAt(0).toLowerCase() + label.slice(1);
  return `Use ${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

const visitOf = ({ kept, interaction }: InteractionStep, { userId }: UserAccount, { choice, kind }: Answered) =>
  factorVisit(kept, { uid: interaction.uid, userId, kind: kind.kind, purpose: choice.purpose });

function personOf({ request, response, client }: InteractionStep, user: UserAccount): FactorPerson {
  const { tenant, userId, email, displayName } = user;
  const { clientId } = client;
  const cause = causeOf({ req: request, res: response }, userId);
  return { tenant, userId, email, displayName, clientId, cause };
}

const originsOf = ({ interaction }: InteractionStep): PageAnswer => ({
  formActionOrigins: formActionOrigins(interaction),
});

/** See Other: the browser asks for the next step's form, at the same address without its query. */
function redirectToNextForm({ request, response }: InteractionStep): void {
  response.writeHead(303, { location: (request.url ?? "").split("?", 1)[0] }).end();
}
