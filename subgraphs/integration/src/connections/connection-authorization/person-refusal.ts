/** A refusal that a person reads as text. It repeats nothing that came from outside. */
export class PersonRefusal extends Error {
  override readonly name = "PersonRefusal";

  constructor(
    readonly status: 400 | 403 | 409 | 410 | 502,
    text: string,
  ) {
    super(text);
  }
}

export const linkIsOver = () =>
  new PersonRefusal(
    410,
    "This link does not exist, has expired or was used already. Ask for a new link: POST /integrations/connections/{connectionId}/reauthorize makes one.",
  );
