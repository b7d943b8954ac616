/** A requirement of a specification, and a test that proves it. */
export interface Requirement {
  /** The section of the specification, and its sentence in short. */
  readonly says: string;
  /** The file of the test, from the root of the repository. */
  readonly file: string;
  /** The title of the test, as the file spells it. */
  readonly title: string;
}

/** The requirements that tests of one file prove: the sentence and the title of each. */
export const inFile = (file: string, found: Readonly<Record<string, string>>): Requirement[] =>
  Object.entries(found).map(([says, title]) => ({ says, file, title }));
