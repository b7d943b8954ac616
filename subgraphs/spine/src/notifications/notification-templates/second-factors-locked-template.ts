import type { MessageTemplate } from "./message-template.js";

/** Tells a person that second-factor codes are locked. Requests cannot name it, and tenants have no texts for it. */
export const secondFactorsLocked: MessageTemplate = {
  key: "second-factors-locked",
  variables: {},
  texts: {
    en: {
      subject: "Your second-factor codes are locked",
      paragraphs: [
        "Somebody who knows your password entered {{wrongCodes}} wrong codes. If it was not you, change your password. The mail that we sent to you tells how to unlock your codes, and so does {{url}}.",
      ],
    },
    de: {
      subject: "Ihre Codes des zweiten Faktors sind gesperrt",
      paragraphs: [
        "Jemand, der Ihr Passwort kennt, hat {{wrongCodes}} falsche Codes eingegeben. Wenn Sie es nicht waren, ändern Sie Ihr Passwort. Wie Sie Ihre Codes entsperren, steht in der E-Mail, die wir Ihnen geschickt haben, und auf {{url}}.",
      ],
    },
    fr: {
      subject: "Vos codes du second facteur sont bloqués",
      paragraphs: [
        "Quelqu’un qui connaît votre mot de passe a saisi {{wrongCodes}} codes faux. Si ce n’était pas vous, changez votre mot de passe. L’e-mail que nous vous avons envoyé indique comment débloquer vos codes, et {{url}} aussi.",
      ],
    },
  },
};
