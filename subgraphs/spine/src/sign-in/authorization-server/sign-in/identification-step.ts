import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import type { FactorFields } from "../../second-factors/kinds/factor-kind.js";
import type { IdentifyingKind } from "../../second-factors/kinds/factor-kinds.js";
import { identifyingVisit } from "../factor-forms/factor-visits.js";
import { finishSignIn } from "./finish-sign-in.js";
import type { InteractionStep } from "./interaction-step.js";

/** A form on the sign-in page that asks for neither a name nor a password. */
export interface IdentificationForm {
  readonly kind: string;
  readonly fields: FactorFields;
}

/** The forms for factor kinds that tell who the person is. */
export function identificationForms(step: InteractionStep): Promise<readonly IdentificationForm[]> {
  return Promise.all(
    step.factors.kinds.identifying.map(async ({ kind, identification }) => ({
      kind,
      fields: await identification.ask(identifyingVisit(step.kept, { uid: step.interaction.uid, kind })),
    })),
  );
}

/** The kind that a form on the page was sent for; undefined for the form with the password. */
export function identifyingKindOf({ factors }: InteractionStep, form: URLSearchParams): IdentifyingKind | undefined {
  return factors.kinds.identifying.find(({ kind }) => kind === form.get("factor"));
}

/** Signs the person in, or throws an `OAuthError`. The factor proves more than a password, so nothing else is asked. */
export async function submitIdentification(
  step: InteractionStep,
  { kind, identification }: IdentifyingKind,
  form: URLSearchParams,
): Promise<void> {
  const { request, response, client, interaction } = step;
  const { user, methods } = await step.identification.signIn(identification, {
    client,
    form,
    visit: identifyingVisit(step.kept, { uid: interaction.uid, kind }),
    address: clientNetworkOf(request),
    cause: causeOf({ req: request, res: response }, client.clientId),
  });
  await finishSignIn(step, user, methods);
}
