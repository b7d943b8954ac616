import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { HttpRoute } from "../../../ground/http-endpoints/http-route.js";
import { errorPage } from "../../../ground/pages/error.page.js";
import { sendPage } from "../../../ground/pages/page.js";
import { isCrossSite, readForm } from "../../../ground/pages/read-form.js";
import type { OwnPassword } from "../../../people/passwords/own-password.js";
import { type FactorKind, type FactorProblem, isProof } from "../../second-factors/kinds/factor-kind.js";
import { factorName, maxFactorNameLength } from "../../second-factors/kinds/factor-name.js";
import { ownSecurityPath } from "../../second-factors/kinds/own-security-path.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { factorPage } from "../factor-forms/factor.page.js";
import { factorVisit } from "../factor-forms/factor-visits.js";
import { factorAddedPage, recoveryCodesPage } from "../factor-forms/recovery-codes.page.js";
import type { OwnSessions, SessionOwner } from "../own-sessions/own-sessions.js";
import { authorizePath } from "../sign-in/authorize-settings.js";
import { answerWithPages } from "../sign-in/interaction-endpoint.js";
import type { InteractionOptions } from "../sign-in/interaction-step.js";
import { changePassword } from "./change-password.js";
import { type OwnSecurity, ownSecurityPage } from "./own-security.page.js";
import { signInAddress } from "./own-security-client.js";
import { isVisitor, raiseSession, type Visitor, visitorOf } from "./own-security-visitor.js";

/** The services behind the page. */
interface OwnSecurityOptions extends InteractionOptions {
  readonly ownPassword: OwnPassword;
  readonly sessions: OwnSessions;
}

/** A person's request to the page. */
interface Visit {
  readonly options: OwnSecurityOptions;
  readonly visitor: Visitor;
  readonly response: ServerResponse;
  readonly csrfToken: string;
}

const csrfPurpose = "own-security";

/** The notices, by the value that `done` has in the address, which may be any text. */
const notices = new Map<string | null, string>(
  Object.entries({
    "password-changed": "Your password is changed. All other sessions have ended.",
    "session-ended": "The session has ended.",
    "sessions-ended": "All other sessions have ended.",
    "factor-renamed": "The second factor has its new name.",
    "name-refused": `Enter a name with 1 to ${maxFactorNameLength} characters.`,
    "factor-removed": "The second factor is removed.",
    "unlock-requested": "If no link was mailed within the last 15 minutes, one is on its way.",
  }),
);

/** The page for a person's own security. It uses the sign-in's session in this browser. */
export function ownSecurityEndpoint(options: OwnSecurityOptions, client: RegisteredClient): HttpRoute {
  const answer = async (_: InteractionOptions, request: IncomingMessage, response: ServerResponse) => {
    const { searchParams } = new URL(request.url ?? "", options.issuer);
    const visitor = await visitorOf(options, client, { req: request, res: response });
    if (!isVisitor(visitor)) {
      // a browser that comes back from the sign-in without a session would be sent there for ever
      if (searchParams.has("code") || searchParams.has("error")) return refuseVisit(response);
      const address = `${options.issuer}${authorizePath}`;
      return redirect(response, signInAddress(address, `${options.issuer}${ownSecurityPath}`, visitor.acrValues));
    }
    if (searchParams.has("code") || searchParams.has("error")) return redirect(response, ownSecurityPath);
    const { uid } = visitor.session;
    const visit = { options, visitor, response, csrfToken: options.csrfTokens.create(uid, csrfPurpose) };
    if (request.method !== "POST") return show(visit, searchParams);
    const form = isCrossSite(request, options.issuer) ? undefined : await readForm(request);
    if (!form || !options.csrfTokens.matches(form.get("formToken") ?? "", uid, csrfPurpose))
      return refuseForm(response);
    return submit(visit, form);
  };
  return { methods: ["GET", "POST"], limit: "pages", handle: answerWithPages(answer, options) };
}

async function show(visit: Visit, query: URLSearchParams): Promise<void> {
  const kind = visit.options.factors.kinds.named(query.get("add"));
  if (kind?.enrolment) return showEnrolment(visit, kind);
  return showAll(visit, { notice: notices.get(query.get("done")) });
}

async function showAll(visit: Visit, notices: Pick<OwnSecurity, "notice" | "passwordProblem">): Promise<void> {
  const { options, visitor, response, csrfToken } = visit;
  const { factors } = options;
  const { tenant, userId, email, tenantSlug } = visitor.user;
  const page = ownSecurityPage({
    email,
    organization: tenantSlug,
    csrfToken,
    factors: await factors.kinds.enrolled(tenant, userId),
    recoveryCodesLeft: await factors.recoveryCodesLeft(tenant, userId),
    isFactorRequired: await factors.requiredBy(tenant),
    isLocked: await factors.locks.isLocked(tenant, userId),
    addable: factors.kinds.all.filter(({ enrolment }) => enrolment !== undefined),
    passwordMinLength: await options.ownPassword.minLength(tenant),
    sessions: await options.sessions.list(ownerOf(visitor)),
    ...notices,
  });
  sendPage(response, page, { status: notices.passwordProblem ? 422 : 200 });
}

async function submit(visit: Visit, form: URLSearchParams): Promise<void> {
  const { options, visitor, response, csrfToken } = visit;
  const { person } = visitor;
  const kind = options.factors.kinds.named(form.get("factor"));
  switch (form.get("action")) {
    case "continue":
      if (kind?.enrolment) return enrol(visit, kind, form);
      break;
    case "change-password": {
      const passwordProblem = await changePassword(options.ownPassword, visitor, form);
      if (passwordProblem) return showAll(visit, { passwordProblem });
      return redirect(response, `${ownSecurityPath}?done=password-changed`);
    }
    case "end-session":
      await options.sessions.end(ownerOf(visitor), form.get("sessionId") ?? "").catch(ignoreUnknown);
      return redirect(response, `${ownSecurityPath}?done=session-ended`);
    case "end-other-sessions":
      await options.sessions.endOthers(ownerOf(visitor));
      return redirect(response, `${ownSecurityPath}?done=sessions-ended`);
    case "rename-factor":
      return redirect(response, `${ownSecurityPath}?done=${await renameFactor(visit, form)}`);
    case "remove-factor":
      await options.factors.remove(person, form.get("factorId") ?? "");
      return redirect(response, `${ownSecurityPath}?done=factor-removed`);
    case "mail-unlock-link":
      await options.factors.locks.links.request(person);
      return redirect(response, `${ownSecurityPath}?done=unlock-requested`);
    case "renew-recovery-codes": {
      // codes from before the first factor would go around it later
      if (!(await hasFactor(visit))) break;
      const codes = await options.factors.renewRecoveryCodes(person);
      return sendPage(response, recoveryCodesPage({ csrfToken, codes }));
    }
    default:
  }
  redirect(response, ownSecurityPath);
}

async function renameFactor({ options, visitor }: Visit, form: URLSearchParams): Promise<string> {
  const name = factorName(form.get("name"));
  if (name === undefined || name === "") return "name-refused";
  await options.factors.rename(visitor.person, { factorId: form.get("factorId") ?? "", name });
  return "factor-renamed";
}

const hasFactor = async ({ options, visitor: { person } }: Visit): Promise<boolean> =>
  (await options.factors.kinds.enrolled(person.tenant, person.userId)).length > 0;

async function enrol(visit: Visit, kind: FactorKind, form: URLSearchParams): Promise<void> {
  const { options, visitor, response, csrfToken } = visit;
  const { person } = visitor;
  const isFirst = !(await hasFactor(visit));
  const answer = await kind.enrolment?.finish(person, visitOf(visit, kind), form);
  if (!answer || !isProof(answer)) return showEnrolment(visit, kind, answer);
  await raiseSession(visitor, answer.amr);
  // the first factor comes with recovery codes; so does one after the last code was used
  if (!isFirst && (await options.factors.recoveryCodesLeft(person.tenant, person.userId)) > 0)
    return sendPage(response, factorAddedPage(csrfToken));
  const codes = await options.factors.renewRecoveryCodes(person);
  sendPage(response, recoveryCodesPage({ csrfToken, codes }));
}

async function showEnrolment(visit: Visit, kind: FactorKind, problem?: FactorProblem): Promise<void> {
  const { visitor, response, csrfToken } = visit;
  if (!kind.enrolment) return;
  const page = factorPage({
    title: kind.enrolment.title,
    lead: `For ${visitor.user.email}.`,
    csrfToken,
    kind: kind.kind,
    fields: await kind.enrolment.begin(visitor.person, visitOf(visit, kind)),
    problem,
    others: [],
  });
  sendPage(response, page, { status: problem ? 400 : 200 });
}

const ownerOf = ({ person, session }: Visitor): SessionOwner => ({ ...person, current: { sessionUid: session.uid } });

/** The session may have ended since the page was shown. */
function ignoreUnknown(error: unknown): void {
  if (!(error instanceof DomainError) || error.code !== "NOT_FOUND") throw error;
}

const visitOf = ({ options, visitor }: Visit, { kind }: FactorKind) =>
  factorVisit(options.kept, { uid: visitor.session.uid, userId: visitor.user.userId, kind, purpose: "add" });

/** See Other: the browser asks by GET. */
function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, "cache-control": "no-store" }).end();
}

function refuseVisit(response: ServerResponse): void {
  const detail = "You are not signed in, or your browser does not keep cookies. Open the page for your security again.";
  sendPage(response, errorPage({ title: "You are not signed in", detail, traceId: traceIdOf(response) }), {
    status: 403,
  });
}

function refuseForm(response: ServerResponse): void {
  const detail = "The form does not come from the page that we showed you. Open the page for your security again.";
  sendPage(response, errorPage({ title: "This form cannot be used", detail, traceId: traceIdOf(response) }), {
    status: 403,
  });
}

const traceIdOf = (response: ServerResponse) => String(response.getHeader("x-trace-id") ?? "");
