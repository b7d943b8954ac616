import { type AccessToken, describeToken, missingToken, readToken, storedToken, storeToken } from "./access-token.js";

const notAToken =
  "This is not an access token: it has three parts with a dot between them. Paste the whole output of `npm run -s token`.";

/** The longest time that a timer takes (ms). */
const longestDelayMs = 2 ** 31 - 1;

/** The field for the access token in the page's document. */
export class TokenForm {
  #token: AccessToken | undefined = storedToken(sessionStorage);
  #endTimer: number | undefined;
  readonly #field = element("token", HTMLInputElement);
  readonly #remove = element("remove-token", HTMLButtonElement);
  readonly #state = element("token-state", HTMLElement);

  /** Calls the listener when another token is used, or none any more. */
  constructor(onChange: () => void) {
    element("token-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      const token = readToken(this.#field.value);
      if (token) {
        this.#use(token);
        onChange();
      } else this.#say(this.#field.value.trim() === "" ? missingToken : notAToken, true);
    });
    this.#remove.addEventListener("click", () => {
      this.#use(undefined);
      onChange();
      this.#field.focus();
    });
    this.#show();
  }

  get text(): string | undefined {
    return this.#token?.text;
  }

  #use(token: AccessToken | undefined): void {
    this.#token = token;
    this.#field.value = "";
    storeToken(sessionStorage, token);
    this.#show();
  }

  #show(): void {
    clearTimeout(this.#endTimer);
    const token = this.#token;
    this.#remove.hidden = token === undefined;
    if (!token) return this.#say(missingToken, true);
    const left = (token.endTime ?? Number.POSITIVE_INFINITY) - Date.now();
    this.#say(describeToken(token, Date.now()), left <= 0);
    if (left > 0 && left < longestDelayMs) this.#endTimer = setTimeout(() => this.#show(), left);
  }

  #say(words: string, isProblem: boolean): void {
    // text between backticks is code
    const parts = words.split("`").map((part, place) => {
      if (place % 2 === 0) return part;
      const code = document.createElement("code");
      code.textContent = part;
      return code;
    });
    this.#state.replaceChildren(...parts);
    this.#state.classList.toggle("problem", isProblem);
    this.#field.setAttribute("aria-invalid", String(isProblem && this.#field.value.trim() !== ""));
  }
}

function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const target = document.getElementById(id);
  if (!(target instanceof kind)) throw new Error(`The page has no ${kind.name} with the id ${id}`);
  return target;
}
