import fc from "fast-check";

const letters = fc.constantFrom(...Array.from("abzäöüßéÉñçøłšžαωΩжЯאב中文日本한국ไท"));
const word = fc.array(letters, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
/** Scripts are not mixed in one label, since a name with two directions is none. */
const labels = fc.constantFrom(
  "bücher",
  "ÉCOLE",
  "straße",
  "żółw",
  "例え",
  "παράδειγμα",
  "пример",
  "한국",
  "example",
  "x1-y2",
);

/** An address, and another way to write it. */
interface Spelling {
  readonly address: string;
  readonly other: string;
}

/** Addresses with an international local part or domain, each with another spelling for the same address. */
export const spellings = fc
  .record({
    local: word.map((text) => text.toLowerCase().normalize("NFC")),
    domain: fc.array(labels, { minLength: 2, maxLength: 3 }),
    form: fc.constantFrom("NFC", "NFD"),
    domainForm: fc.constantFrom("NFC", "NFD", "NFKC"),
    dot: fc.constantFrom(".", "。", "．", "｡"),
    upper: fc.boolean(),
  })
  .map(({ local, domain, form, domainForm, dot, upper }): Spelling => {
    const writtenDomain = domain.join(dot).normalize(domainForm);
    // a letter without another case, or with one that is two letters, stays
    const louder = Array.from(local, (letter) => (isPair(letter) ? letter.toUpperCase() : letter)).join("");
    return {
      address: `${local}@${domain.join(".")}`,
      other: `${(upper ? louder : local).normalize(form)}@${upper ? writtenDomain.toLowerCase() : writtenDomain}`,
    };
  });

const isPair = (letter: string) => letter.toUpperCase().toLowerCase() === letter;
