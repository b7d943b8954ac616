import { errors } from "oidc-provider";
import { sendPage } from "../../../ground/pages/page.js";
import { setGrantVersions, signInVersionOf } from "../accounts/stored-versions.js";
import { requestVisit } from "../oauth-requests/request-visit.js";
import { consentPage } from "./consent.page.js";
import { setTerms } from "./consent-terms.js";
import { formActionOrigins } from "./form-action-origins.js";
import type { InteractionStep } from "./interaction-step.js";
import { addScopes } from "./remembered-consents.js";
import { scopeDescriptions } from "./scope-descriptions.js";

const descriptions: Record<string, string> = scopeDescriptions;

/** GET: asks the user to allow the scopes. */
export async function showConsentForm(step: InteractionStep): Promise<void> {
  const { response, client, csrfToken, interaction, accounts } = step;
  const user = await accounts.byId(interaction.session?.accountId ?? "");
  if (!user) throw new errors.SessionNotFound("The user does not exist any longer.");
  const page = consentPage({
    clientName: client.name,
    csrfToken,
    email: user.email,
    organization: user.tenantSlug,
    permissions: scopesOf(step).map((scope) => descriptions[scope] ?? scope),
    returnsTo: new URL(String(interaction.params["redirect_uri"])).host,
  });
  sendPage(response, page, { formActionOrigins: formActionOrigins(interaction) });
}

/** POST: stores the consent as a grant, or denies the access, and returns to the client. */
export async function submitConsent(step: InteractionStep, form: URLSearchParams): Promise<void> {
  const { provider, request, response, interaction, issuer } = step;
  if (form.get("action") !== "allow") {
    const result = { error: "access_denied", error_description: "The user denied the access." };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const { accountId, uid = "" } = interaction.session ?? {};
  const session = await provider.Session.findByUid(uid);
  if (accountId === undefined || session?.accountId !== accountId)
    throw new errors.SessionNotFound("The user is not signed in.");
  const grant = new provider.Grant({ accountId, clientId: step.client.clientId });
  if (step.terms !== undefined) setTerms(grant, step.terms);
  setGrantVersions(grant, signInVersionOf(session), step.client);
  const { resource } = interaction.params;
  addScopes(grant, scopesOf(step), [typeof resource === "string" ? resource : issuer]);
  const grantId = await grant.save();
  await step.consents.noteVisit(grantId, requestVisit(request, uid));
  await provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true });
}

function scopesOf({ interaction }: InteractionStep): string[] {
  const { scope } = interaction.params;
  return typeof scope === "string" ? scope.split(" ") : [];
}
