/** A specification's requirement, and a test that proves it. */
export interface Requirement {
  /** The specification's section, and its sentence in short. */
  readonly says: string;
  /** The test's file, from the repository's root. */
  readonly file: string;
  /** The test's title, as the file spells it. */
  readonly title: string;
}

/** The requirements that tests in one file prove: each sentence with its title. */
export const inFile = (file: string, titles: Readonly<Record<string, string>>): Requirement[] =>
  Object.entries(titles).map(([says, title]) => ({ says, file, title }));
